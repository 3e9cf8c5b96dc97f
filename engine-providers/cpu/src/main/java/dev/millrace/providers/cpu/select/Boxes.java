package dev.millrace.providers.cpu.select;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.Arrays;

/** NonMaxSuppression: of the boxes of a class that overlap too much only the one of the highest score is kept. */
final class Boxes {
    /** Numbers of chosen boxes that there is room for at first, where as many can be chosen. */
    private static final int FIRST_CHOSEN = 1 << 17;

    private final float[] boxes;
    private final boolean centered;
    private final double overlap;

    private Boxes(float[] boxes, boolean centered, double overlap) {
        this.boxes = boxes;
        this.centered = centered;
        this.overlap = overlap;
    }

    static void suppress(DynamicContext context) {
        Node node = context.node();
        Tensor scores = context.tensor(1);
        boolean centered = node.attributes().flag("center_point_box", false);
        var boxes = new Boxes(context.tensor(0).floats(), centered, real(context, 3, 0));
        long limit = context.input(2) == null ? 0 : context.tensor(2).longs()[0];
        double threshold = real(context, 4, Double.NEGATIVE_INFINITY);
        int batches = ArrayExtents.toInt("images", scores.shape().dim(0));
        int classes = ArrayExtents.toInt("classes", scores.shape().dim(1));
        int count = ArrayExtents.toInt("boxes", scores.shape().dim(2));
        float[] score = scores.floats();
        long[] candidates = new long[count];
        var ranking = new Ranking(candidates);
        int[] kept = new int[(int) Math.clamp(limit, 0, count)];
        long most = 3L * batches * classes * kept.length;
        long[] chosen = new long[(int) Math.min(most, FIRST_CHOSEN)];
        int size = 0;
        for (int batch = 0; batch < batches; batch++) {
            for (int kind = 0; kind < classes; kind++) {
                context.checkCancelled();
                int first = (batch * classes + kind) * count;
                ranking.begin(above(score, first, threshold, candidates));
                int more = boxes.keep(context, ranking, batch * count, kept);
                if (3L * more > chosen.length - size) {
                    int end = ArrayExtents.product("numbers of chosen boxes", 3, (long) size / 3 + more);
                    chosen = Arrays.copyOf(chosen, (int) Math.min(ArrayExtents.LONGEST_ARRAY, 2L * end));
                }
                for (int i = 0; i < more; i++) {
                    chosen[size++] = batch;
                    chosen[size++] = kind;
                    chosen[size++] = kept[i];
                }
            }
        }
        Tensor result = context.allocate(ElementType.INT64, Shape.of(size / 3, 3));
        Elements.write(ElementType.INT64, result.segment(), 0, chosen, 0, size);
        context.output(0, result);
    }

    private static double real(DynamicContext context, int input, double otherwise) {
        return context.input(input) == null ? otherwise : context.tensor(input).doubles()[0];
    }

    /** Boxes of a class whose scores are above a threshold, as numbers that are smaller the better they are; returns how many. */
    private static int above(float[] scores, int first, double threshold, long[] candidates) {
        int count = 0;
        for (int i = 0; i < candidates.length; i++) {
            if (scores[first + i] > threshold) {
                candidates[count++] = (long) ~ordered(scores[first + i]) << Integer.SIZE | i;
            }
        }
        return count;
    }

    /** Keeps candidates that overlap none that is kept already; returns how many. */
    private int keep(DynamicContext context, Ranking candidates, int firstBox, int[] kept) {
        int size = 0;
        for (int i = 0; size < kept.length && !candidates.isEmpty(); i++) {
            context.checkCancelled(i);
            int candidate = (int) candidates.take();
            boolean apart = true;
            for (int j = 0; j < size && apart; j++) {
                context.checkCancelled(j);
                apart = overlapOf(firstBox + kept[j], firstBox + candidate) <= overlap;
            }
            if (apart) {
                kept[size++] = candidate;
            }
        }
        return size;
    }

    /** A number that is larger the larger a score is; zeros are equal, whatever their sign. */
    private static int ordered(float score) {
        int bits = Float.floatToIntBits(score + 0f);
        return bits >= 0 ? bits : bits ^ Integer.MAX_VALUE;
    }

    /** The area of the intersection by that of the union. */
    private double overlapOf(int a, int b) {
        double heights = Math.min(high(a, 0), high(b, 0)) - Math.max(low(a, 0), low(b, 0));
        double widths = Math.min(high(a, 1), high(b, 1)) - Math.max(low(a, 1), low(b, 1));
        if (heights <= 0 || widths <= 0) {
            return 0;
        }
        double common = heights * widths;
        return common / (area(a) + area(b) - common);
    }

    private double area(int box) {
        return (high(box, 0) - low(box, 0)) * (high(box, 1) - low(box, 1));
    }

    /** Centered boxes are x, y, width, height; others two corners, in any order. */
    private double low(int box, int axis) {
        int at = box * 4;
        return centered
                ? boxes[at + 1 - axis] - boxes[at + 3 - axis] / 2.0
                : Math.min(boxes[at + axis], boxes[at + 2 + axis]);
    }

    private double high(int box, int axis) {
        int at = box * 4;
        return centered
                ? boxes[at + 1 - axis] + boxes[at + 3 - axis] / 2.0
                : Math.max(boxes[at + axis], boxes[at + 2 + axis]);
    }
}
