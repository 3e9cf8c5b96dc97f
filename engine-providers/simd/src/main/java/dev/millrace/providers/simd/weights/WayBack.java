package dev.millrace.providers.simd.weights;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the elements of a constant, of four bytes each, lie in what was packed of it. It is cut into pieces along one axis,
 * since the last panels of a matrix may be narrower than the others.
 */
public record WayBack(Tensor source, PackedWeights packed, int axis, List<Piece> pieces) {
    static final int BYTES = Integer.BYTES;
    static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED;

    /**
     * Some of the indices of the axis that is cut. Element (i, j, …) of a piece lies at {@code base} and a distance for each index.
     *
     * @param count indices of the axis that is cut
     * @param base where the piece's first element lies; all places count elements
     */
    public record Piece(long count, long base, List<Axis> axes) {
        public Piece {
            axes = List.copyOf(axes);
        }
    }

    /**
     * How far the elements of one axis lie apart.
     *
     * @param block indices to a block
     * @param outer from a block to the next
     * @param inner from an index of a block to the next
     */
    public record Axis(long block, long outer, long inner) {
        public Axis {
            if (block < 1 || outer < 0 || inner < 0) {
                throw refusal("leads nowhere");
            }
        }

        long place(long index) {
            return index / block * outer + index % block * inner;
        }

        /** The farthest of the first so many indices. */
        private long last(long count) {
            long blocks = count / block;
            long rest = count % block;
            long ofBlocks = blocks == 0 ? 0 : farthest(blocks - 1, block - 1);
            return Math.max(ofBlocks, rest == 0 ? 0 : farthest(blocks, rest - 1));
        }

        private long farthest(long ofBlock, long inBlock) {
            return Math.addExact(Math.multiplyExact(ofBlock, outer), Math.multiplyExact(inBlock, inner));
        }
    }

    public WayBack {
        pieces = List.copyOf(pieces);
        long[] dims = source.shape().toArray();
        long room = packed.memory().byteSize() / BYTES;
        if (source.type().bytes(1) != BYTES
                || axis >= dims.length
                || source.shape().elements() > room) {
            throw refusal("is of another one");
        }
        long indices = 0;
        for (Piece piece : pieces) {
            indices = Math.addExact(indices, piece.count);
            dims[axis] = piece.count;
            long last = piece.base;
            for (int i = 0; i < dims.length; i++) {
                last = Math.addExact(last, piece.axes.get(i).last(dims[i]));
            }
            if (last >= room) {
                throw refusal("leads out of what was packed of it");
            }
        }
        if (indices != source.shape().dim(axis)) {
            throw refusal("leaves some of it out");
        }
    }

    private static EngineException refusal(String what) {
        return EngineException.invalidGraph("the way back to a constant " + what);
    }

    /** Whether elements of a constant are counted in a number that an element can hold. */
    static boolean isPossible(Tensor source) {
        long elements = source.shape().elements();
        return source.shape().rank() > 0
                && source.type().bytes(1) == BYTES
                && !source.type().isPacked()
                && elements > 0
                && elements < Integer.MAX_VALUE;
    }

    /** Fills memory with a number for each element, none of which is 0. */
    static void number(MemorySegment elements) {
        for (long i = 0; i < elements.byteSize() / BYTES; i++) {
            elements.set(WORD, i * BYTES, (int) i + 1);
        }
    }

    /**
     * The way back from weights, if there is one.
     *
     * @param numbers what was packed of the elements' {@linkplain #number numbers} the same way
     * @param places memory of the constant's size
     */
    static @Nullable WayBack of(Tensor source, PackedWeights packed, MemorySegment numbers, MemorySegment places) {
        places.fill((byte) -1);
        long elements = source.shape().elements();
        for (long place = Math.min(numbers.byteSize() / BYTES, Integer.MAX_VALUE) - 1; place >= 0; place--) {
            long element = numbers.get(WORD, place * BYTES) - 1L;
            if (element >= 0 && element < elements) {
                places.set(WORD, element * BYTES, (int) place);
            }
        }
        for (int axis = 0; axis < source.shape().rank(); axis++) {
            List<Piece> pieces = new PieceFinder(source.shape().toArray(), axis, places).find();
            WayBack way = pieces == null ? null : checked(source, packed, axis, pieces);
            if (way != null) {
                return way;
            }
        }
        return null;
    }

    /** The same way for another constant, if it leads back to that. */
    @Nullable
    WayBack of(Tensor other, PackedWeights packedOfIt) {
        return checked(other, packedOfIt, axis, pieces);
    }

    /** The way back, if it leads to the constant; that places along the axes fit a rule says nothing of those between. */
    private static @Nullable WayBack checked(Tensor source, PackedWeights packed, int axis, List<Piece> pieces) {
        try {
            var way = new WayBack(source, packed, axis, pieces);
            return way.leadsBack() ? way : null;
        } catch (EngineException | ArithmeticException _) {
            return null;
        }
    }

    /** Whether what is put back is the constant, to the bit. */
    private boolean leadsBack() {
        MemorySegment original = source.segment();
        return walk((element, place) ->
                original.get(WORD, element) == packed.memory().get(WORD, place));
    }

    /** The constant as it was. */
    public void putBack(MemorySegment elements) {
        walk((element, place) -> {
            elements.set(WORD, element, packed.memory().get(WORD, place));
            return true;
        });
    }

    private interface Step {
        /** Takes offsets in bytes; false ends the walk. */
        boolean to(long element, long place);
    }

    private boolean walk(Step step) {
        long from = 0;
        for (Piece piece : pieces) {
            if (!walk(piece, from, step)) {
                return false;
            }
            from += piece.count;
        }
        return true;
    }

    private boolean walk(Piece piece, long from, Step step) {
        long[] dims = source.shape().toArray();
        long[] box = dims.clone();
        box[axis] = piece.count;
        long count = 1;
        for (long extent : box) {
            count *= extent;
        }
        long row = box[box.length - 1];
        Axis inRow = piece.axes.getLast();
        for (long done = 0; done < count; done += row) {
            long rest = done / row;
            long place = piece.base;
            long element = axis == box.length - 1 ? from : 0;
            long stride = dims[box.length - 1];
            for (int i = box.length - 2; i >= 0; i--) {
                long index = rest % box[i];
                rest /= box[i];
                place += piece.axes.get(i).place(index);
                element += (i == axis ? index + from : index) * stride;
                stride *= dims[i];
            }
            for (long i = 0; i < row; i++) {
                if (!step.to((element + i) * BYTES, (place + inRow.place(i)) * BYTES)) {
                    return false;
                }
            }
        }
        return true;
    }
}
