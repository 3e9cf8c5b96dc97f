package dev.millrace.cli;

import org.jspecify.annotations.Nullable;

/** The entry of the command {@code millrace}. It names no class of picocli, which a server that starts does not load. */
public final class Main {
    static final String VERSION = "0.1.0";

    private Main() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        quieten();
        @Nullable ServeFlags flags = ServeFlags.read(arguments);
        System.exit(flags == null ? RootCommand.lineFor(arguments).execute(arguments) : ServerRun.alone(flags));
    }

    /** Has the log print warnings alone, where nobody set it up: what is information to a service is noise in a command. */
    static void quieten() {
        boolean isSetUp = System.getProperty("java.util.logging.config.file") != null
                || System.getProperty("java.util.logging.config.class") != null;
        if (!isSetUp) {
            System.setProperty("java.util.logging.config.class", WarningsOnly.class.getName());
        }
    }
}
