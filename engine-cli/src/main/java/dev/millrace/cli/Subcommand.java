package dev.millrace.cli;

import java.util.concurrent.Callable;

/** A subcommand that another module brings, found by {@link java.util.ServiceLoader}: a picocli command. */
public interface Subcommand extends Callable<Integer> {}
