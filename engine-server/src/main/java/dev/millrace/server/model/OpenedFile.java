package dev.millrace.server.model;

import dev.millrace.session.Session;
import java.nio.file.Path;

/** A session with the file that it was opened from. */
public record OpenedFile(Session session, Path file) {}
