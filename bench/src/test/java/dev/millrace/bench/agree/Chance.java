package dev.millrace.bench.agree;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;

/** A source of random choices, the same for the same seed. */
final class Chance {
    private static final int MOST_OFTEN = 5;
    private static final List<String> WORDS = List.of("a", "b", "cat", "12", "-1.5", "Straße", "two words", "A");

    private final SplittableRandom random;

    Chance(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Returns a random integer, both ends included. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    long[] between(int count, int least, int most) {
        return random.longs(count, least, most + 1L).toArray();
    }

    float real(double least, double below) {
        return (float) random.nextDouble(least, below);
    }

    boolean often() {
        return random.nextInt(4) > 0;
    }

    boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    @SafeVarargs
    final <T> T one(T... of) {
        return of[random.nextInt(of.length)];
    }

    <T> T one(Collection<T> of) {
        return List.copyOf(of).get(random.nextInt(of.size()));
    }

    /** Returns an extent: mostly small, sometimes 1, rarely 0. */
    long extent() {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1, 2 -> 1;
            case 3 -> random.nextInt(8, 20);
            default -> random.nextInt(2, MOST_OFTEN + 1);
        };
    }

    /** Returns an extent that is not 0. */
    long some() {
        return Math.max(1, extent());
    }

    Shape shape(int leastRank, int mostRank) {
        return Shape.of(extents(between(leastRank, mostRank), true));
    }

    /** Returns a shape without an extent of 0. */
    Shape full(int leastRank, int mostRank) {
        return Shape.of(extents(between(leastRank, mostRank), false));
    }

    private long[] extents(int rank, boolean empty) {
        long[] extents = new long[rank];
        for (int i = 0; i < rank; i++) {
            extents[i] = empty ? extent() : some();
        }
        return extents;
    }

    /** Returns a shape that broadcasts to {@code whole}: axes are omitted or have extent 1. */
    Shape under(Shape whole) {
        int from = often() ? 0 : between(0, whole.rank());
        long[] dims = Arrays.copyOfRange(whole.toArray(), from, whole.rank());
        for (int i = 0; i < dims.length; i++) {
            dims[i] = once(4) ? 1 : dims[i];
        }
        return Shape.of(dims);
    }

    /** Returns an axis, perhaps counted from the end. */
    long axis(int rank) {
        return between(-rank, rank - 1);
    }

    /** Returns some axes, each once, in ascending order. */
    long[] axes(int rank) {
        long[] all = random.ints(0, 2).limit(rank).asLongStream().toArray();
        long[] axes = new long[(int) Arrays.stream(all).sum()];
        int count = 0;
        for (int i = 0; i < rank; i++) {
            if (all[i] == 1) {
                axes[count++] = once(4) ? i - rank : i;
            }
        }
        return axes;
    }

    long[] permutation(int rank) {
        long[] order = new long[rank];
        for (int i = 0; i < rank; i++) {
            int at = random.nextInt(i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        return order;
    }

    /** Returns numbers around 0 of any type; many of them are integers, so that some are equal. */
    Tensor tensor(ElementType type, Shape shape) {
        if (type == ElementType.STRING) {
            String[] words = new String[Math.toIntExact(shape.elements())];
            Arrays.setAll(words, _ -> one(WORDS));
            return Tensor.ofStrings(shape, words);
        }
        return type.isFloating() ? reals(type, shape, -3, 3) : whole(type, shape, -9, 9);
    }

    Tensor reals(ElementType type, Shape shape, double least, double below) {
        boolean steps = once(4);
        return RandomTensors.reals(type, shape, () -> {
            double value = random.nextDouble(least, below);
            return steps ? Math.ceil(value) : value;
        });
    }

    /** Returns integers, both ends included, as far as the type has them. */
    Tensor whole(ElementType type, Shape shape, long least, long most) {
        boolean signed = type.kind() == ElementType.Kind.SIGNED;
        long low = type == ElementType.BOOL || !signed ? Math.max(0, least) : least;
        long high = type == ElementType.BOOL ? Math.min(1, most) : most;
        return RandomTensors.whole(type, shape, () -> random.nextLong(low, high + 1));
    }

    Tensor indices(Shape shape, long below) {
        ElementType type = often() ? ElementType.INT64 : ElementType.INT32;
        return whole(type, shape, once(3) ? -below : 0, below - 1);
    }

    static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }
}
