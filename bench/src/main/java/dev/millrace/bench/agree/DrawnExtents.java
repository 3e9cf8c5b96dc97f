package dev.millrace.bench.agree;

import dev.millrace.graph.infer.symbol.ExtentFormula;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The symbolic and unknown extents of a draw. Extents of one name are equal; an unnamed one equals
 * that of the same axis of other inputs.
 */
final class DrawnExtents {
    /** How extents are chosen: small different ones first, then ones that models with constraints may accept. */
    enum Style {
        MIXED,
        EQUAL,
        ONE,
        SIXTEEN,
        SIXTY_FOUR,
        IMAGE;

        private long extent(int name, int draw) {
            return switch (this) {
                case MIXED -> 2 + (name + 2L * draw) % 5;
                case EQUAL -> 3 + draw;
                case ONE -> 1;
                case SIXTEEN -> 16L * (1 + draw);
                case SIXTY_FOUR -> 64L * (1 + draw);
                case IMAGE -> 224 + 32L * draw;
            };
        }
    }

    /** The rank of shapes of which nothing is known. */
    private static final int RANK = 2;

    private final Style style;
    private final int draw;
    private final Map<String, Long> byName = new LinkedHashMap<>();

    DrawnExtents(Style style, int draw) {
        this.style = style;
        this.draw = draw;
    }

    /** Whether any extent so far was to be chosen. */
    boolean areFree() {
        return !byName.isEmpty();
    }

    /** Returns the shape of an input. */
    long[] input(@Nullable SymbolicShape shape) {
        long[] extents = new long[shape == null ? RANK : shape.rank()];
        for (int i = 0; i < extents.length; i++) {
            Dim dim = shape == null ? Dim.UNKNOWN : shape.dim(i);
            extents[i] = dim == Dim.UNKNOWN ? named("axis " + i) : of(dim);
        }
        return extents;
    }

    /** Returns the value of an extent in this draw, -1 if nothing is known of it. */
    long of(Dim dim) {
        return switch (dim) {
            case Dim.Known known -> known.extent();
            case Dim.Symbol symbol -> value(symbol);
            case Dim.Unknown _ -> -1;
        };
    }

    private long value(Dim.Symbol symbol) {
        try {
            return Math.max(0, ExtentFormula.of(symbol).value(this::named));
        } catch (RuntimeException noFormula) {
            // the name is no expression of names, or the expression has no value
            return named(symbol.name());
        }
    }

    private long named(String name) {
        Long known = byName.get(name);
        if (known == null) {
            known = style.extent(byName.size(), draw);
            byName.put(name, known);
        }
        return known;
    }
}
