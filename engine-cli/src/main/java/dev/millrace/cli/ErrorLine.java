package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Turns what a command throws into one line, and the stack behind it where {@code MILLRACE_DEBUG} is set. */
final class ErrorLine implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception thrown, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        boolean known = thrown instanceof EngineException
                || thrown instanceof IOException
                || thrown instanceof UncheckedIOException;
        if (thrown instanceof EngineException refused) {
            err.println("millrace: " + refused.status() + ": " + refused.getMessage());
        } else if (known) {
            err.println("millrace: " + thrown.getMessage());
        } else {
            err.println("millrace: this is a defect, please report it: " + thrown);
        }
        if (!known || System.getenv("MILLRACE_DEBUG") != null) {
            thrown.printStackTrace(err);
        }
        return known ? ExitCode.REFUSED : ExitCode.DEFECT;
    }
}
