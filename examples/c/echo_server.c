// Returns every message on the stream that it came on: echo_server ADDRESS,... PORT
#include <manypath_sctp.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int result, const char *what)
{
	if (result < 0) {
		perror(*manypath_sctp_error() ? manypath_sctp_error() : what);
		exit(1);
	}
}

static void echo(int peer)
{
	char text[65536];
	struct sctp_rcvinfo from;
	struct iovec part = { text, sizeof text };
	for (;;) {
		socklen_t size = sizeof from;
		unsigned type;
		int flags = 0;
		ssize_t length = manypath_sctp_recvv(peer, &part, 1, NULL, NULL, &from, &size, &type, &flags);
		if (length <= 0)
			return;
		struct sctp_sndinfo to = { .snd_sid = from.rcv_sid, .snd_ppid = from.rcv_ppid };
		struct iovec answer = { text, length };
		if (manypath_sctp_sendv(peer, &answer, 1, NULL, 0, &to, sizeof to, MANYPATH_SCTP_SENDV_SNDINFO, MSG_NOSIGNAL) < 0)
			return;
	}
}

int main(int count, char **words)
{
	if (count != 3)
		return fprintf(stderr, "usage: echo_server ADDRESS,... PORT\n"), 2;
	struct manypath_sctp_settings settings = { .size = sizeof settings, .local = words[1] };
	check(manypath_sctp_start(&settings), "start");
	int listener = manypath_sctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP), on = 1;
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(atoi(words[2])) };
	check(manypath_sctp_bind(listener, (struct sockaddr *)&any, sizeof any), "bind");
	check(manypath_sctp_setsockopt(listener, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on), "SCTP_RECVRCVINFO");
	check(manypath_sctp_listen(listener, 8), "listen");
	puts("listening"), fflush(stdout);
	for (;;) {
		int peer = manypath_sctp_accept(listener, NULL, NULL, SOCK_CLOEXEC);
		check(peer, "accept");
		echo(peer);
		manypath_sctp_close(peer);
	}
}
