package dev.millrace.bench.agree;

import dev.millrace.graph.infer.ExtentFormula;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The free extents of a draw: what shares a name is equal; what has no name shares it with its axis in other inputs. */
final class Extents {
    /** How free extents are chosen: small ones that differ first, then what models with conditions of their own may take. */
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

    /** Shapes of which nothing is known are of this rank. */
    private static final int RANK = 2;

    private final Style style;
    private final int draw;
    private final Map<String, Long> byName = new LinkedHashMap<>();

    Extents(Style style, int draw) {
        this.style = style;
        this.draw = draw;
    }

    /** Whether any extent was free so far. */
    boolean areFree() {
        return !byName.isEmpty();
    }

    /** The shape of an input. */
    long[] input(@Nullable SymbolicShape shape) {
        long[] extents = new long[shape == null ? RANK : shape.rank()];
        for (int i = 0; i < extents.length; i++) {
            Dim dim = shape == null ? Dim.UNKNOWN : shape.dim(i);
            extents[i] = dim == Dim.UNKNOWN ? named("axis " + i) : of(dim);
        }
        return extents;
    }

    /** What an extent comes to in this draw, -1 where nothing is known of it. */
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
            // a name that is no formula of names, or one that comes to nothing
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
