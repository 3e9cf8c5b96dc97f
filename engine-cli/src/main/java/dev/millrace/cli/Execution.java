package dev.millrace.cli;

import dev.millrace.cli.show.PlainWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** Runs a command with plain text on its outputs, and lets it end well only where all that it printed was written. */
final class Execution implements IExecutionStrategy {
    @Override
    public int execute(ParseResult parsed) {
        CommandLine line = parsed.commandSpec().commandLine();
        PrintWriter out = line.getOut();
        @Nullable Integer helped = CommandLine.executeHelpRequest(parsed);
        int code = helped == null ? run(line, parsed) : helped;
        boolean isLost = out.checkError();
        // behind the writer, it keeps its errors to itself
        if (System.out.checkError() || isLost) {
            if (isReaderGone()) {
                return ExitCode.READER_GONE;
            }
            throw new ExecutionException(line, "output", new IOException("cannot write to the standard output"));
        }
        return code;
    }

    private static int run(CommandLine line, ParseResult parsed) {
        PrintWriter out = line.getOut();
        PrintWriter err = line.getErr();
        line.setOut(new PrintWriter(new PlainWriter(out), true));
        line.setErr(new PrintWriter(new PlainWriter(err), true));
        try {
            return new RunLast().execute(parsed);
        } catch (Error e) {
            throw new ExecutionException(line, "error of the JVM", ErrorLine.exception(e));
        } finally {
            line.getOut().flush();
            line.getErr().flush();
            line.setOut(out);
            line.setErr(err);
        }
    }

    /** Whether the standard output is a pipe that nobody reads any more, as behind {@code | head}: that is no failure. */
    private static boolean isReaderGone() {
        try {
            // not closed: it is the process's own
            new FileOutputStream(FileDescriptor.out).write('\n');
            return false;
        } catch (IOException e) {
            return "Broken pipe".equals(e.getMessage());
        }
    }
}
