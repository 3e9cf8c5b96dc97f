package dev.millrace.cli;

import dev.millrace.cli.show.PlainWriter;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** The line that a command prints about an exception, followed by the stack trace if {@code MILLRACE_DEBUG} is set. */
final class ErrorLine {
    private ErrorLine() {}

    /**
     * Prints the line, and returns the exit code of the process.
     *
     * @param command the command's name, such as {@code millrace run}
     */
    static int print(Exception thrown, String command, PrintWriter err) {
        if (thrown instanceof UsageException senseless) {
            err.println("millrace: " + PlainText.line(String.valueOf(senseless.getMessage())) + " (see '" + command
                    + " --help')");
            return ExitCode.USAGE;
        }
        boolean known = thrown instanceof EngineException
                || thrown instanceof IOException
                || thrown instanceof UncheckedIOException;
        err.println("millrace: " + PlainText.line(message(thrown)));
        if (!known || System.getenv("MILLRACE_DEBUG") != null) {
            thrown.printStackTrace(new PrintWriter(new PlainWriter(err), true));
        }
        return known ? ExitCode.REFUSED : ExitCode.DEFECT;
    }

    /** Returns an error of the JVM as an exception: lack of memory is refused, and all others are defects. */
    static Exception exception(Error thrown) {
        return thrown instanceof OutOfMemoryError
                ? new EngineException(
                        Status.FAIL,
                        "not enough memory (" + thrown.getMessage() + "); smaller inputs help, or a larger -Xmx or"
                                + " -XX:MaxDirectMemorySize",
                        thrown)
                : new IllegalStateException(thrown);
    }

    private static String message(Exception thrown) {
        return switch (thrown) {
            case EngineException refused -> refused.status() + ": " + refused.getMessage();
            case UncheckedIOException failed -> reason(failed);
            case IOException failed -> reason(failed);
            default -> "this is a defect, please report it: " + thrown;
        };
    }

    /**
     * Returns an unchecked exception's own message and its cause's reason, or the latter alone
     * if the message adds nothing.
     */
    private static String reason(UncheckedIOException failed) {
        IOException cause = Objects.requireNonNull(failed.getCause());
        String message = failed.getMessage();
        boolean isMore = message != null && !message.equals(cause.toString());
        return isMore ? message + ": " + reason(cause) : reason(cause);
    }

    /** Returns the reason of an I/O failure in words. The message of many a file system exception is just the path. */
    private static String reason(IOException failed) {
        if (!(failed instanceof FileSystemException at)) {
            return failed.getMessage() == null ? failed.getClass().getSimpleName() : failed.getMessage();
        }
        return switch (at) {
            case NoSuchFileException missing -> "there is no file or folder " + missing.getFile();
            case AccessDeniedException denied -> "permission denied: " + denied.getFile();
            case FileAlreadyExistsException exists ->
                "there is a file already where a folder belongs: " + exists.getFile();
            case NotDirectoryException file -> "this is no folder: " + file.getFile();
            case DirectoryNotEmptyException full -> "this folder is not empty: " + full.getFile();
            default -> at.getReason() == null ? "cannot use " + at.getFile() : at.getFile() + ": " + at.getReason();
        };
    }
}
