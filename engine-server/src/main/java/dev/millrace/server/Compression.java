package dev.millrace.server;

import java.util.zip.Deflater;

/** The compression of answers to clients that accept compressed ones. */
public enum Compression {
    /** Answers are sent as they are. */
    NONE(Deflater.NO_COMPRESSION),
    /** The least processor time. */
    LOW(Deflater.BEST_SPEED),
    MEDIUM(6),
    /** The fewest bytes. */
    HIGH(Deflater.BEST_COMPRESSION);

    private final int level;

    Compression(int level) {
        this.level = level;
    }

    /** The level of the deflate algorithm. */
    int level() {
        return level;
    }
}
