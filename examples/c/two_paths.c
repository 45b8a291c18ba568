// Sends a message and prints the answer and the paths: two_paths LOCAL,... PORT TEXT PEER...
#include <arpa/inet.h>
#include <manypath_sctp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int result, const char *what)
{
	if (result < 0) {
		perror(*manypath_sctp_error() ? manypath_sctp_error() : what);
		exit(1);
	}
}

int main(int count, char **words)
{
	struct sockaddr_in peers[8] = { 0 };
	if (count < 5 || count > 4 + 8)
		return fprintf(stderr, "usage: two_paths LOCAL,... PORT TEXT PEER...\n"), 2;
	struct manypath_sctp_settings settings = { .size = sizeof settings, .local = words[1] };
	check(manypath_sctp_start(&settings), "start");
	for (int peer = 0; peer < count - 4; peer++) {
		peers[peer].sin_family = AF_INET;
		peers[peer].sin_port = htons(atoi(words[2]));
		check(inet_pton(AF_INET, words[4 + peer], &peers[peer].sin_addr) - 1, words[4 + peer]);
	}
	int client = manypath_sctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
	check(manypath_sctp_connectx(client, (struct sockaddr *)peers, count - 4, NULL), "connect");
	check(manypath_sctp_send(client, words[3], strlen(words[3]), 0), "send");
	char answer[65536];
	ssize_t length = manypath_sctp_recv(client, answer, sizeof answer, 0);
	check(length, "receive");
	printf("%.*s\n", (int)length, answer);
	struct sockaddr *paths;
	int known = manypath_sctp_getpaddrs(client, 0, &paths);
	check(known, "paths");
	for (int path = 0; path < known; path++) {
		char text[INET_ADDRSTRLEN];
		puts(inet_ntop(AF_INET, &((struct sockaddr_in *)paths)[path].sin_addr, text, sizeof text));
	}
	manypath_sctp_freepaddrs(paths);
	manypath_sctp_close(client);
	check(manypath_sctp_stop(5000), "stop");
}
