package dev.millrace.epcontext;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The messages that a class logs while this is open. */
final class Warnings extends Handler implements AutoCloseable {
    private final List<String> messages = new ArrayList<>();
    private final Logger logger;

    Warnings(Class<?> type) {
        logger = Logger.getLogger(type.getName());
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void publish(LogRecord event) {
        messages.add(event.getLevel() + " " + event.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
