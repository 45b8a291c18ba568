# One message and back, by Perl's own sockets.

use strict;
use warnings;
use Socket;

socket(my $connected, AF_INET, SOCK_STREAM, 132) or die "socket: $!";
connect($connected, sockaddr_in(5000, inet_aton($ARGV[0]))) or die "connect: $!";
my $sent = "perl" x 2500;
syswrite($connected, $sent) == length $sent or die "syswrite: $!";
my $received = "";
sysread($connected, $received, 65536) // die "sysread: $!";
$received eq $sent or die "it differs";
$connected->autoflush(1);
print $connected "printed" or die "print: $!";
recv($connected, $received, 65536, 0) // die "recv: $!";
$received eq "printed" or die "it differs";
