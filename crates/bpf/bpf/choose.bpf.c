/*! The program that `run` attaches to a group of processes: it sets the congestion control of their TCP sockets. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum { TCP_CONNECT = 3, ACTIVE_ESTABLISHED = 4, PASSIVE_ESTABLISHED = 5 };
enum { SOL_TCP = 6, TCP_CONGESTION = 13 };

struct bpf_sock_ops {
	__u32 op;
};

/* Set by user space before it attaches the program. */
char name[16];

SEC("sockops")
int choose(struct bpf_sock_ops *socket)
{
	if (socket->op == TCP_CONNECT || socket->op == ACTIVE_ESTABLISHED || socket->op == PASSIVE_ESTABLISHED)
		bpf_setsockopt(socket, SOL_TCP, TCP_CONGESTION, name, sizeof(name));
	return 1;
}
