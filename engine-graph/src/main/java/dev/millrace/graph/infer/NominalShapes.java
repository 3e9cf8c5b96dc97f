package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shapes that inputs may have in a run: what is known of them, and common extents for what is free. */
public final class NominalShapes {
    /** Lengths of texts, sides of images, frames of sound. */
    private static final long[] LENGTHS = {16, 224, 64, 512};
    /** A second of sound, one frame of it. */
    private static final long[] SIGNAL_LENGTHS = {16_000, 512, 64};

    private static final int IMAGE_RANK = 4;
    private static final int SIGNAL_RANK = 2;
    private static final int STATE_RANK = 3;
    /** Elements of an input; nobody means more of many free extents. */
    private static final long MOST_ELEMENTS = 1L << 31;

    private NominalShapes() {}

    /** Whether all inputs have one shape only. */
    public static boolean areFixed(Graph graph) {
        for (Value input : graph.inputs()) {
            SymbolicShape shape = input.shape();
            if (shape == null || !shape.isKnown()) {
                return false;
            }
        }
        return true;
    }

    /** Whether only that is open how many there are of what inputs hold: one is the most likely number. */
    public static boolean areOfAnyCount(Graph graph) {
        for (Value input : graph.inputs()) {
            SymbolicShape shape = input.shape();
            if (shape == null || !shape.isKnown() && shape.rank() < 2) {
                return false;
            }
            for (int i = 0; i < shape.rank(); i++) {
                if (!shape.dim(i).isKnown() && !isBatch(shape, i)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Tuples of shapes to be tried one after the other; none where the rank of an input is not known. */
    public static List<List<Shape>> of(Graph graph) {
        var tuples = new ArrayList<List<Shape>>();
        for (Value input : graph.inputs()) {
            if (input.shape() == null || input.elementType() == null) {
                return tuples;
            }
        }
        for (long length : hasFreeSignals(graph) ? SIGNAL_LENGTHS : LENGTHS) {
            List<Shape> shapes = shapes(graph, length);
            if (shapes.size() == graph.inputs().size() && !tuples.contains(shapes)) {
                tuples.add(shapes);
            }
        }
        if (hasFreeImages(graph) && tuples.size() > 1) {
            tuples.addFirst(tuples.remove(1));
        }
        return tuples;
    }

    private static boolean hasFreeImages(Graph graph) {
        for (Value input : graph.inputs()) {
            SymbolicShape shape = input.shape();
            if (shape != null && shape.rank() >= IMAGE_RANK && isFreeFrom(2, shape)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an input is rows of numbers of any length, as sounds are; texts are rows of integers. */
    private static boolean hasFreeSignals(Graph graph) {
        for (Value input : graph.inputs()) {
            SymbolicShape shape = input.shape();
            ElementType type = input.elementType();
            if (shape != null
                    && type != null
                    && type.isFloating()
                    && shape.rank() == SIGNAL_RANK
                    && isFreeFrom(1, shape)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isFreeFrom(int first, SymbolicShape shape) {
        for (int i = first; i < shape.rank(); i++) {
            if (!shape.dim(i).isKnown()) {
                return true;
            }
        }
        return false;
    }

    /** The shapes of the inputs, up to one that would be too large. */
    private static List<Shape> shapes(Graph graph, long length) {
        Map<Dim, Long> named = new HashMap<>();
        for (Value input : graph.inputs()) {
            SymbolicShape shape = input.shape();
            if (shape != null && shape.rank() > 0 && shape.dim(0) instanceof Dim.Symbol batch) {
                named.put(batch, 1L);
            }
        }
        var shapes = new ArrayList<Shape>();
        for (Value input : graph.inputs()) {
            SymbolicShape shape = input.shape();
            long[] dims = new long[shape == null ? 0 : shape.rank()];
            for (int i = 0; shape != null && i < dims.length; i++) {
                Dim dim = shape.dim(i);
                dims[i] = dim.isKnown()
                        ? dim.extentOrMinusOne()
                        : named.getOrDefault(dim, isBatch(shape, i) ? 1 : length);
            }
            if (!isLikely(dims)) {
                break;
            }
            shapes.add(Shape.of(dims));
        }
        return shapes;
    }

    private static boolean isLikely(long[] dims) {
        long elements = 1;
        for (long dim : dims) {
            if (dim > MOST_ELEMENTS / Math.max(1, elements)) {
                return false;
            }
            elements *= dim;
        }
        return true;
    }

    /** Whether a free extent is one for sequences: the first, or that of the states of a recurrent layer. */
    private static boolean isBatch(SymbolicShape shape, int axis) {
        return axis == 0
                || axis == 1
                        && shape.rank() == STATE_RANK
                        && shape.dim(0).isKnown()
                        && shape.dim(2).isKnown();
    }
}
