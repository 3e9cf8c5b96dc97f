package dev.millrace.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints in a line what is wrong with a command line. The help of a command is long, and would hide it. */
final class UsageLine implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
        CommandLine failed = failure.getCommandLine();
        PrintWriter err = failed.getErr();
        err.println("millrace: " + failure.getMessage() + " (see '"
                + failed.getCommandSpec().qualifiedName() + " --help')");
        boolean isSuggested = UnmatchedArgumentException.printSuggestions(failure, err);
        if (!isSuggested && failed.getParent() == null) {
            failed.usage(err);
        }
        return ExitCode.USAGE;
    }
}
