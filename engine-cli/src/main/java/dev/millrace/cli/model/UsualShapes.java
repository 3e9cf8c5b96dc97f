package dev.millrace.cli.model;

import java.util.Map;

/** The shapes of the inputs of known models, by the names of their inputs. */
public final class UsualShapes {
    private UsualShapes() {}

    /** Returns the input shapes of sentence encoders. */
    public static Map<String, long[]> tokens(long batch, long length) {
        long[] extents = {batch, length};
        return Map.of("input_ids", extents, "attention_mask", extents, "token_type_ids", extents);
    }

    /** Returns the input shape of models of colour images. */
    public static Map<String, long[]> images(long batch, long height, long width) {
        return Map.of("x", new long[] {batch, 3, height, width});
    }
}
