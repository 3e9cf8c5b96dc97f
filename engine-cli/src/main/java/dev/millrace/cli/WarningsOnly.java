package dev.millrace.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;

/** Sets up the JDK's log for a command. The JDK makes one at the first message, so a command without any pays nothing. */
public final class WarningsOnly {
    private static final String SETTINGS = """
        handlers = java.util.logging.ConsoleHandler
        .level = WARNING
        """;

    /** Called by {@link LogManager}. */
    public WarningsOnly() throws IOException {
        var settings = new ByteArrayInputStream(SETTINGS.getBytes(StandardCharsets.ISO_8859_1));
        LogManager.getLogManager().readConfiguration(settings);
    }
}
