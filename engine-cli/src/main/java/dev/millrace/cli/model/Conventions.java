package dev.millrace.cli.model;

import dev.millrace.cli.model.KnownModel.Fill;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Exporters' common conventions for the names and shapes of inputs, for a model of which nothing else is known. */
final class Conventions {
    private static final long TOKENS = 16;
    private static final long PAST_TOKENS = 8;
    private static final long IMAGE = 224;
    private static final List<String> RATES = List.of("sr", "sample_rate", "sampling_rate");

    private Conventions() {}

    /** Returns a plausible value for a symbolic extent of that name. */
    static long extent(String name) {
        String plain = name.toLowerCase(Locale.ROOT);
        if (plain.contains("past")) {
            return PAST_TOKENS;
        }
        return plain.contains("sequence") || plain.contains("seq_len") ? TOKENS : 1;
    }

    /** Whether that axis is the height or the width of an image of open size. */
    static boolean isImageSide(SymbolicShape shape, int axis) {
        if (shape.rank() != 4) {
            return false;
        }
        boolean channelsFirst = isColour(shape.dim(1)) && isFree(shape.dim(2)) && isFree(shape.dim(3));
        boolean channelsLast = isColour(shape.dim(3)) && isFree(shape.dim(1)) && isFree(shape.dim(2));
        return channelsFirst && axis > 1 || !channelsFirst && channelsLast && (axis == 1 || axis == 2);
    }

    static long imageSide() {
        return IMAGE;
    }

    private static boolean isColour(Dim dim) {
        return dim instanceof Dim.Known known && (known.extent() == 1 || known.extent() == 3);
    }

    private static boolean isFree(Dim dim) {
        return !(dim instanceof Dim.Known);
    }

    /** Returns plausible contents for an integer input of that name, or null if the name tells nothing. */
    static @Nullable Fill fill(String name) {
        String plain = name.toLowerCase(Locale.ROOT);
        if (RATES.contains(plain)) {
            return Fill.constant(16000);
        }
        if (plain.contains("mask")) {
            return Fill.constant(1);
        }
        return plain.contains("token_type") || plain.contains("segment_ids") ? Fill.constant(0) : null;
    }
}
