/* Waiting, threads, processes and the end of the stack: processes STORY [PATH] */

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>

static const char *path;

/* A child has copies of the memory of threads that it does not have: no leaks of its own. */
static int is_child;

int __lsan_is_turned_off(void)
{
	return is_child;
}

static int descriptors(void)
{
	int count = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void ends_well(pid_t child)
{
	int status;
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void waiting(void)
{
	start(local(1));
	struct sockaddr_in name = at(1, 0);
	int listener = listening(&name), error = -1;
	int client = manypath_sctp_socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct epoll_event edge = { .events = EPOLLOUT | EPOLLIN | EPOLLET };
	int events = epoll_create1(EPOLL_CLOEXEC);
	CHECK(epoll_ctl(events, EPOLL_CTL_ADD, client, &edge) == 0);
	CHECK(!(ready(listener, POLLIN, 0) & POLLIN));
	FAILS(EINPROGRESS, manypath_sctp_connect(client, (address *)&name, sizeof name));
	CHECK(ready(client, POLLOUT, PATIENCE) == POLLOUT);
	CHECK(epoll_wait(events, &edge, 1, PATIENCE) == 1 && edge.events == EPOLLOUT);
	socklen_t length = sizeof error;
	CHECK(manypath_sctp_getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0);
	CHECK(ready(listener, POLLIN, PATIENCE) == POLLIN);
	int server = manypath_sctp_accept(listener, NULL, NULL, SOCK_NONBLOCK);
	CHECK(server >= 0);
	FAILS(EAGAIN, manypath_sctp_recv(server, &error, 1, 0));
	says(client, "in time");
	hears(server, "in time");

	struct timeval limit = { .tv_usec = 50000 }, asked;
	CHECK(fcntl(server, F_SETFL, 0) == 0);
	CHECK(manypath_sctp_setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
	length = sizeof asked;
	CHECK(manypath_sctp_getsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &asked, &length) == 0 && asked.tv_usec > 0);
	FAILS(EAGAIN, manypath_sctp_recv(server, &error, 1, 0));

	/* The end of the stack is an event of each socket, and of the descriptor for it */
	int ended = manypath_sctp_event_fd();
	CHECK(ended >= 0 && !ready(ended, POLLIN, 0));
	CHECK(manypath_sctp_stop(50) == 0);
	CHECK(ready(ended, POLLIN, 0) == POLLIN);
	CHECK(ready(server, POLLIN, 0) & POLLHUP && ready(listener, POLLIN, 0) & POLLHUP);
	CHECK(manypath_sctp_recv(server, &error, 1, 0) <= 0);
	FAILS(EPIPE, manypath_sctp_send(client, "x", 1, MSG_NOSIGNAL));
	FAILS(EPROTONOSUPPORT, manypath_sctp_socket(AF_INET, SOCK_STREAM, 0));
	CHECK(manypath_sctp_close(server) == 0 && manypath_sctp_close(client) == 0);
	CHECK(manypath_sctp_close(listener) == 0 && close(ended) == 0 && close(events) == 0);
}

static void descriptors_of_the_stack(void)
{
	int before = descriptors(), pipes[2];
	CHECK(pipe(pipes) == 0);
	start(local(1));
	/* The stack keeps no copy of the pipe, and the program gets two descriptors */
	close(pipes[1]);
	CHECK(ready(pipes[0], POLLIN, 0) == POLLHUP);
	close(pipes[0]);
	CHECK(descriptors() == before + 2);
	end(pair());
	CHECK(descriptors() == before + 2);
	for (int again = 0; again < 3; again++) {
		CHECK(manypath_sctp_stop(PATIENCE) == 0);
		CHECK(descriptors() == before);
		start(local(1));
		end(pair());
	}
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static void children(void)
{
	start(local(1));
	struct pair made = pair();
	int tell[2];
	CHECK(pipe(tell) == 0);
	pid_t child = fork();
	if (child == 0) {
		is_child = 1;
		close(tell[1]);
		says(made.client, "from the child");
		/* The stack of the parent is that of the child, which cannot stop it */
		int own = connected(&made.name);
		says(own, "by a socket of the child");
		FAILS(ENOTCONN, manypath_sctp_stop(0));
		FAILS(ENOTCONN, manypath_sctp_event_fd());
		hears(own, "to the child");
		/* The parent stops its stack */
		char byte;
		CHECK(read(tell[0], &byte, 1) == 1);
		CHECK(ready(made.client, POLLIN, 0) & POLLHUP);
		/* The parent listens again */
		CHECK(read(tell[0], &byte, 1) == 0);
		start(local(2));
		struct sockaddr_in name = at(1, 7002);
		int other = connected(&name);
		says(other, "from the stack of the child");
		hears(other, "bye");
		manypath_sctp_close(other);
		CHECK(manypath_sctp_stop(PATIENCE) == 0);
		exit(0);
	}
	close(tell[0]);
	hears(made.server, "from the child");
	int second = manypath_sctp_accept(made.listener, NULL, NULL, 0);
	hears(second, "by a socket of the child");
	says(second, "to the child");
	manypath_sctp_close(second);
	end(made);
	CHECK(manypath_sctp_stop(100) == 0);
	CHECK(write(tell[1], "1", 1) == 1);
	/* The child has no copy of the UDP port */
	start(local(1));
	struct sockaddr_in name = at(1, 7002);
	int listener = listening(&name);
	close(tell[1]);
	int server = manypath_sctp_accept(listener, NULL, NULL, 0);
	hears(server, "from the stack of the child");
	says(server, "bye");
	ends_well(child);
	manypath_sctp_close(server), manypath_sctp_close(listener);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static void one_address(void)
{
	start(local(1));
	struct sockaddr_in name = at(1, 7004);
	int listener = listening(&name);
	pid_t child = fork();
	if (child == 0) {
		/* The UDP port is that of the other stack */
		is_child = 1;
		start(local(1));
		int own = stream();
		FAILS(EADDRINUSE, manypath_sctp_listen(own, 1));
		int other = connected(&name);
		says(other, "from another UDP port");
		hears(other, "heard");
		CHECK(manypath_sctp_close(own) == 0 && manypath_sctp_close(other) == 0);
		CHECK(manypath_sctp_stop(PATIENCE) == 0);
		exit(0);
	}
	int server = manypath_sctp_accept(listener, NULL, NULL, 0);
	hears(server, "from another UDP port");
	says(server, "heard");
	ends_well(child);
	CHECK(manypath_sctp_close(server) == 0 && manypath_sctp_close(listener) == 0);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static void exit_without_stop(void)
{
	int tell[2];
	CHECK(pipe(tell) == 0);
	struct sockaddr_in name = at(1, 7003);
	pid_t child = fork();
	if (child == 0) {
		char byte;
		CHECK(read(tell[0], &byte, 1) == 1);
		start(local(2));
		says(connected(&name), "hello");
		CHECK(read(tell[0], &byte, 1) == 1);
		exit(0);
	}
	start(local(1));
	int listener = listening(&name);
	CHECK(write(tell[1], "1", 1) == 1);
	int server = manypath_sctp_accept(listener, NULL, NULL, 0);
	hears(server, "hello");
	CHECK(write(tell[1], "2", 1) == 1);
	ends_well(child);
	/* The peer learns it at once */
	char byte;
	CHECK(ready(server, POLLIN, PATIENCE) & POLLIN);
	FAILS(ECONNRESET, manypath_sctp_recv(server, &byte, 1, MSG_DONTWAIT));
	CHECK(manypath_sctp_close(server) == 0 && manypath_sctp_close(listener) == 0);
	/* So does this process */
}

static void stop_waits(void)
{
	enum { SIZE = 100000, COUNT = 20 };
	static char bytes[SIZE];
	int tell[2];
	CHECK(pipe(tell) == 0);
	struct sockaddr_in name = at(1, 7005);
	pid_t child = fork();
	if (child == 0) {
		is_child = 1;
		char byte;
		CHECK(read(tell[0], &byte, 1) == 1);
		start(local(2));
		int fd = connected(&name);
		for (int message = 0; message < COUNT; message++)
			CHECK(manypath_sctp_send(fd, bytes, SIZE, MSG_NOSIGNAL) == SIZE);
		CHECK(manypath_sctp_close(fd) == 0 && manypath_sctp_stop(PATIENCE) == 0);
		exit(0);
	}
	start(local(1));
	int listener = listening(&name);
	CHECK(write(tell[1], "1", 1) == 1);
	int server = manypath_sctp_accept(listener, NULL, NULL, 0);
	/* All messages arrive before the end, which is a shutdown */
	ssize_t length, sum = 0;
	while ((length = manypath_sctp_recv(server, bytes, SIZE, 0)) > 0)
		sum += length;
	CHECK(length == 0 && sum == (ssize_t)SIZE * COUNT);
	ends_well(child);
	CHECK(manypath_sctp_close(server) == 0 && manypath_sctp_close(listener) == 0);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static volatile sig_atomic_t signals;

static void count(int number)
{
	(void)number;
	signals++;
}

static struct sockaddr_in echo_name;

static void *client(void *number)
{
	char text[32];
	int fd = connected(&echo_name);
	for (int message = 0; message < 50; message++) {
		snprintf(text, sizeof text, "%d of thread %d", message, *(int *)number);
		says(fd, text);
		hears(fd, text);
	}
	CHECK(manypath_sctp_close(fd) == 0);
	return NULL;
}

static void *server(void *listener)
{
	char text[32];
	int fd = manypath_sctp_accept(*(int *)listener, NULL, NULL, 0);
	CHECK(fd >= 0);
	ssize_t length;
	while ((length = manypath_sctp_recv(fd, text, sizeof text, 0)) > 0)
		CHECK(manypath_sctp_send(fd, text, length, MSG_NOSIGNAL) == length);
	CHECK(length == 0 && manypath_sctp_close(fd) == 0);
	return NULL;
}

static void threads(void)
{
	enum { COUNT = 8 };
	pthread_t all[2 * COUNT];
	int numbers[COUNT];
	CHECK(signal(SIGUSR1, count) != SIG_ERR);
	start(local(1));
	echo_name = at(1, 0);
	int listener = listening(&echo_name);
	for (int each = 0; each < COUNT; each++) {
		numbers[each] = each;
		CHECK(pthread_create(&all[each], NULL, client, &numbers[each]) == 0);
		CHECK(pthread_create(&all[COUNT + each], NULL, server, &listener) == 0);
	}
	for (int each = 0; each < 2 * COUNT; each++)
		CHECK(pthread_join(all[each], NULL) == 0);
	CHECK(manypath_sctp_close(listener) == 0);
	/* A signal of the process finds a thread of the program, not that of the stack */
	sigset_t one;
	sigemptyset(&one), sigaddset(&one, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &one, NULL) == 0 && kill(getpid(), SIGUSR1) == 0);
	usleep(20000);
	CHECK(signals == 0);
	CHECK(pthread_sigmask(SIG_UNBLOCK, &one, NULL) == 0 && signals == 1);
	CHECK(manypath_sctp_stop(PATIENCE) == 0);
}

static void attached(void)
{
	CHECK(manypath_sctp_attach(path) == 0);
	FAILS(EALREADY, manypath_sctp_start(NULL));
	FAILS(EOPNOTSUPP, manypath_sctp_event_fd());
	struct pair made = pair();
	says(made.client, "by the daemon of another process");
	hears(made.server, "by the daemon of another process");
	end(made);
	CHECK(manypath_sctp_stop(0) == 0);
	FAILS(EPROTONOSUPPORT, manypath_sctp_socket(AF_INET, SOCK_STREAM, 0));
}

static void by_environment(void)
{
	struct pair made = pair();
	says(made.client, "by the environment");
	hears(made.server, "by the environment");
	end(made);
	/* A stack of the process goes before */
	struct pair outer = pair();
	start(local(2));
	struct sockaddr_in name = at(2, 0);
	int inner = listening(&name);
	/* Calls for a socket go to the daemon that it belongs to */
	struct sockaddr_in peer;
	socklen_t length = sizeof peer;
	CHECK(manypath_sctp_getpeername(outer.client, (struct sockaddr *)&peer, &length) == 0);
	CHECK(manypath_sctp_close(inner) == 0 && manypath_sctp_stop(PATIENCE) == 0);
	says(outer.client, "still here");
	hears(outer.server, "still here");
	end(outer);
	/* After the end of that stack, sockets are those of the daemon again */
	end(pair());
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*tell)(void);
	} stories[] = {
		{ "waiting", waiting },
		{ "descriptors_of_the_stack", descriptors_of_the_stack },
		{ "children", children },
		{ "one_address", one_address },
		{ "exit_without_stop", exit_without_stop },
		{ "stop_waits", stop_waits },
		{ "threads", threads },
		{ "attached", attached },
		{ "by_environment", by_environment },
	};
	path = count == 3 ? words[2] : NULL;
	for (size_t story = 0; story < sizeof stories / sizeof *stories; story++)
		if (count >= 2 && strcmp(words[1], stories[story].name) == 0)
			return stories[story].tell(), 0;
	return 2;
}
