// Messages on four streams and back, by com.sun.nio.sctp.

import com.sun.nio.sctp.MessageInfo;
import com.sun.nio.sctp.SctpChannel;
import com.sun.nio.sctp.SctpServerChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

public class Echo {
    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments[1], 5000);
        if (arguments[0].equals("listen")) {
            listen(address);
        } else {
            connect(address);
        }
    }

    private static void listen(InetSocketAddress address) throws Exception {
        try (SctpServerChannel server = SctpServerChannel.open()) {
            server.bind(address);
            System.out.println("listening");
            try (SctpChannel channel = server.accept()) {
                ByteBuffer bytes = ByteBuffer.allocateDirect(65536);
                MessageInfo info;
                while ((info = channel.receive(bytes, null, null)) != null && info.bytes() >= 0) {
                    bytes.flip();
                    channel.send(bytes, MessageInfo.createOutgoing(null, info.streamNumber()));
                    bytes.clear();
                }
            }
        }
    }

    private static void connect(InetSocketAddress address) throws Exception {
        try (SctpChannel channel = SctpChannel.open(address, 4, 4)) {
            ByteBuffer received = ByteBuffer.allocateDirect(65536);
            for (int number = 0; number < 100; number++) {
                ByteBuffer sent = ByteBuffer.allocate(10_000).putInt(0, number);
                channel.send(sent, MessageInfo.createOutgoing(null, number % 4));
                received.clear();
                MessageInfo info = channel.receive(received, null, null);
                if (info.bytes() != 10_000 || received.getInt(0) != number || info.streamNumber() != number % 4) {
                    throw new AssertionError(info);
                }
            }
            System.out.println(channel.getRemoteAddresses() + " with " + channel.association());
        }
    }
}
