// An epoll loop that returns the messages of many peers, until its standard input ends: event_loop ADDRESS PORT
#include <errno.h>
#include <manypath_sctp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

static void check(int result, const char *what)
{
	if (result < 0) {
		perror(*manypath_sctp_error() ? manypath_sctp_error() : what);
		exit(1);
	}
}

static void watch(int events, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	check(epoll_ctl(events, EPOLL_CTL_ADD, fd, &event), "watch");
}

static void answer(int peer)
{
	char text[65536];
	ssize_t length = manypath_sctp_recv(peer, text, sizeof text, MSG_DONTWAIT);
	if (length > 0)
		length = manypath_sctp_send(peer, text, length, MSG_NOSIGNAL); // lost if the peer does not read
	if (length == 0 || (length < 0 && errno != EAGAIN))
		manypath_sctp_close(peer); // epoll forgets it
}

int main(int count, char **words)
{
	if (count != 3)
		return fprintf(stderr, "usage: event_loop ADDRESS PORT\n"), 2;
	struct manypath_sctp_settings settings = { .size = sizeof settings, .local = words[1] };
	check(manypath_sctp_start(&settings), "start");
	int listener = manypath_sctp_socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(atoi(words[2])) };
	check(manypath_sctp_bind(listener, (struct sockaddr *)&any, sizeof any), "bind");
	check(manypath_sctp_listen(listener, 64), "listen");
	int events = epoll_create1(EPOLL_CLOEXEC), ended = manypath_sctp_event_fd();
	check(ended, "event descriptor");
	watch(events, listener), watch(events, ended), watch(events, STDIN_FILENO);
	puts("listening"), fflush(stdout);
	struct epoll_event event;
	while (epoll_wait(events, &event, 1, -1) == 1) {
		int peer, ready = event.data.fd;
		if (ready == STDIN_FILENO || ready == ended)
			break;
		if (ready != listener)
			answer(ready);
		else if ((peer = manypath_sctp_accept(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
			watch(events, peer);
	}
	manypath_sctp_close(listener);
	check(manypath_sctp_stop(1000), "stop");
}
