package dev.millrace.providers.simd.weights;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The unpacking map of a constant: the places of its units in its packed form. The constant is cut into pieces along
 * one axis, since the last panels of a matrix may be narrower than the others.
 */
public record UnpackingMap(Tensor source, PackedWeights packed, PackedElement unit, int axis, List<Piece> pieces) {
    /**
     * A piece: a range of indices of the axis that is cut. Unit (i, j, …) of a piece lies at {@code base} plus a
     * distance for each index.
     *
     * @param count the number of indices of the axis that is cut
     * @param base the place of the piece's first unit; all places count units
     */
    public record Piece(long count, long base, List<Axis> axes) {
        public Piece {
            axes = List.copyOf(axes);
        }
    }

    /**
     * The distances of the units along one axis.
     *
     * @param block the number of indices in a block
     * @param outer the distance from a block to the next
     * @param inner the distance from an index to the next in a block
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

        /** The largest distance among the first {@code count} indices. */
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

    public UnpackingMap {
        pieces = List.copyOf(pieces);
        long[] dims = unit.dims(source);
        long room = packed.memory().byteSize() / unit.bytes();
        if (dims == null || axis >= dims.length) {
            throw refusal("is of another one");
        }
        long units = 1;
        for (long extent : dims) {
            units = Math.multiplyExact(units, extent);
        }
        if (units > room) {
            throw refusal("is of another one");
        }
        long extent = dims[axis];
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
        if (indices != extent) {
            throw refusal("leaves some of it out");
        }
    }

    private static EngineException refusal(String what) {
        return EngineException.invalidGraph("the way back to a constant " + what);
    }

    /** Returns the map for weights whose units lie in these places, if there is one. */
    static @Nullable UnpackingMap of(Tensor source, PackedWeights packed, PackedElement unit, MemorySegment places) {
        long[] dims = Objects.requireNonNull(unit.dims(source));
        for (int axis = 0; axis < dims.length; axis++) {
            List<Piece> pieces = new PieceFinder(dims, axis, places).find();
            UnpackingMap way = pieces == null ? null : checked(source, packed, unit, axis, pieces);
            if (way != null) {
                return way;
            }
        }
        return null;
    }

    /** Returns this map for another constant, if it unpacks that to the bit. */
    @Nullable
    UnpackingMap of(Tensor other, PackedWeights packedOfIt) {
        return checked(other, packedOfIt, unit, axis, pieces);
    }

    /**
     * Returns the map, if it unpacks the constant to the bit. Regular places along the axes do not prove that for those
     * between.
     */
    private static @Nullable UnpackingMap checked(
            Tensor source, PackedWeights packed, PackedElement unit, int axis, List<Piece> pieces) {
        try {
            var way = new UnpackingMap(source, packed, unit, axis, pieces);
            return way.leadsBack() ? way : null;
        } catch (EngineException | ArithmeticException _) {
            return null;
        }
    }

    /** Whether unpacking gives the constant, to the bit. */
    private boolean leadsBack() {
        MemorySegment original = source.segment();
        return walk((first, place, apart, count) -> unit.isSame(original, first, packed.memory(), place, apart, count));
    }

    /** Unpacks the constant. */
    public void putBack(MemorySegment elements) {
        walk((first, place, apart, count) -> {
            unit.putBack(packed.memory(), place, apart, elements, first, count);
            return true;
        });
    }

    private interface Run {
        /**
         * Takes a run of units that are neighbours in the constant and lie at a distance of {@code apart} in the packed
         * form. Returns false to end the walk.
         */
        boolean take(long first, long place, long apart, long count);
    }

    private boolean walk(Run run) {
        long[] dims = Objects.requireNonNull(unit.dims(source));
        long from = 0;
        for (Piece piece : pieces) {
            if (!walk(piece, dims, from, run)) {
                return false;
            }
            from += piece.count;
        }
        return true;
    }

    /** Walks a piece row by row, and each row block by block. */
    private boolean walk(Piece piece, long[] dims, long from, Run run) {
        int last = dims.length - 1;
        long rows = 1;
        for (int i = 0; i < last; i++) {
            rows *= i == axis ? piece.count : dims[i];
        }
        long row = axis == last ? piece.count : dims[last];
        Axis inRow = piece.axes.getLast();
        for (long number = 0; number < rows; number++) {
            long rest = number;
            long place = piece.base;
            long first = axis == last ? from : 0;
            long stride = dims[last];
            for (int i = last - 1; i >= 0; i--) {
                long extent = i == axis ? piece.count : dims[i];
                long index = rest % extent;
                rest /= extent;
                place += piece.axes.get(i).place(index);
                first += (i == axis ? index + from : index) * stride;
                stride *= dims[i];
            }
            for (long i = 0; i < row; i += inRow.block) {
                long count = Math.min(inRow.block, row - i);
                if (!run.take(first + i, place, inRow.inner, count)) {
                    return false;
                }
                place += inRow.outer;
            }
        }
        return true;
    }
}
