package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.EngineException;
import java.util.Arrays;

/** The level of optimisation. Each level includes those below it; the numbers are those of ONNX Runtime. */
public enum Level {
    /** Nothing is changed. */
    DISABLED(0),
    /** Passes that keep every operator a standard one, or fuse several into a standard one. */
    BASIC(1),
    /** Fusions whose result only some providers run faster. */
    EXTENDED(2),
    /** Changes of the layout of data in memory. */
    LAYOUT(3),
    ALL(99);

    private final int code;

    Level(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Whether a pass of {@code level} runs at this one. */
    public boolean includes(Level level) {
        return level != DISABLED && level.code <= code;
    }

    public static Level ofCode(int code) {
        for (Level level : values()) {
            if (level.code == code) {
                return level;
            }
        }
        throw EngineException.invalidArgument("unknown optimisation level " + code + "; the levels are "
                + Arrays.stream(values()).map(level -> level.code + " " + level).toList());
    }
}
