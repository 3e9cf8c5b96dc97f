package dev.millrace.cli.model;

import java.util.Map;

/** Shapes of the inputs of known models, by the names that those have. */
public final class UsualShapes {
    private UsualShapes() {}

    /** What encoders of sentences take. */
    public static Map<String, long[]> tokens(long batch, long length) {
        long[] extents = {batch, length};
        return Map.of("input_ids", extents, "attention_mask", extents, "token_type_ids", extents);
    }

    /** What models that look at pictures in colour take. */
    public static Map<String, long[]> images(long batch, long height, long width) {
        return Map.of("x", new long[] {batch, 3, height, width});
    }
}
