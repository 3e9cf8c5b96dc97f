package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The kernel that draws boxes into an image. A box has four numbers, a score and a class. */
final class DrawnBoxes {
    private static final int CHANNELS = 3;
    private static final int NUMBERS = 6;
    /** Colours in the order in which boxes take them: red, yellow, lime, blue, cyan, magenta, orange, maroon, green and navy. */
    private static final int[] COLOURS = {
        0xff0000, 0xffff00, 0x00ff00, 0x0000ff, 0x00ffff, 0xff00ff, 0xff8000, 0x800000, 0x008000, 0x000080
    };

    private DrawnBoxes() {}

    /** A box and its colour, counted from 0. */
    private record Coloured(float[] box, int colour) {}

    static DynamicKernel of(Node node) {
        String mode = node.attributes().text("mode", "XYXY");
        long thickness = node.attributes().integer("thickness", 4);
        boolean isByClass = node.attributes().flag("colour_by_classes", true);
        if (thickness < 1 || !List.of("XYXY", "XYWH", "CENTER_XYWH").contains(mode)) {
            throw EngineException.invalidGraph(node.describe() + ": mode '" + mode + "' and thickness " + thickness
                    + "; a mode is XYXY, XYWH or CENTER_XYWH, and a thickness 1 or more");
        }
        return context -> {
            Tensor image = context.tensor(0);
            Tensor boxes = context.tensor(1);
            boolean fits = image.shape().rank() == 3
                    && image.shape().dim(2) == CHANNELS
                    && boxes.shape().rank() == 2
                    && boxes.shape().dim(1) == NUMBERS;
            if (!fits) {
                throw EngineException.invalidArgument(node.describe() + ": an image of the shape " + image.shape()
                        + " and boxes of the shape " + boxes.shape() + "; they are [height, width, 3] and [boxes, 6]");
            }
            Tensor made = context.allocate(ElementType.UINT8, image.shape());
            byte[] pixels = image.segment().toArray(ValueLayout.JAVA_BYTE);
            var canvas = new Canvas(
                    pixels, (int) image.shape().dim(1), (int) image.shape().dim(0));
            for (Coloured each : coloured(boxes.floats(), isByClass).reversed()) {
                canvas.draw(corners(each.box, mode), COLOURS[each.colour], thickness);
            }
            MemorySegment.copy(pixels, 0, made.segment(), ValueLayout.JAVA_BYTE, 0, pixels.length);
            context.output(0, made);
        };
    }

    /** Returns the boxes that have a colour, in the order of the colours. */
    private static List<Coloured> coloured(float[] numbers, boolean isByClass) {
        List<float[]> best = IntStream.range(0, numbers.length / NUMBERS)
                .mapToObj(i -> Arrays.copyOfRange(numbers, i * NUMBERS, (i + 1) * NUMBERS))
                .sorted(Comparator.comparingDouble(box -> -box[4]))
                .toList();
        Map<Float, Integer> classes = new HashMap<>();
        return IntStream.range(0, best.size())
                .mapToObj(i -> new Coloured(
                        best.get(i), isByClass ? classes.computeIfAbsent(best.get(i)[5], _ -> classes.size()) : i))
                .filter(each -> each.colour < COLOURS.length)
                .sorted(Comparator.comparingInt(Coloured::colour))
                .toList();
    }

    /** Returns left, top, right and bottom. */
    private static float[] corners(float[] box, String mode) {
        return switch (mode) {
            case "XYXY" -> box;
            case "XYWH" -> new float[] {box[0], box[1], box[0] + box[2], box[1] + box[3]};
            default -> new float[] {box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2};
        };
    }

    /** An image whose pixels are blue, green and red. */
    private record Canvas(byte[] pixels, int width, int height) {
        /** Draws the frame of a box. Its line lies half outside the box, but a box without room for a hole is filled. */
        void draw(float[] corners, int colour, long thickness) {
            Span across = Span.of(corners[0], corners[2], width);
            Span down = Span.of(corners[1], corners[3], height);
            int room = Math.min(across.extent(), down.extent());
            if (room < 1) {
                return;
            }
            if (thickness < room) {
                int line = (int) thickness;
                frame(across.grown(line, width), down.grown(line, height), line, colour);
            } else {
                frame(across, down, room, colour);
            }
        }

        /** Paints the pixels of a box that are nearer to its border than {@code line} pixels. */
        private void frame(Span across, Span down, int line, int colour) {
            for (int y = down.from; y < down.below; y++) {
                boolean isWhole = y < down.from + line || y >= down.below - line;
                paint(y, across.from, isWhole ? across.below : across.from + line, colour);
                paint(y, across.below - line, across.below, colour);
            }
        }

        private void paint(int y, int from, int below, int colour) {
            for (int at = (y * width + from) * CHANNELS; at < (y * width + below) * CHANNELS; at += CHANNELS) {
                pixels[at] = (byte) colour;
                pixels[at + 1] = (byte) (colour >> Byte.SIZE);
                pixels[at + 2] = (byte) (colour >> 2 * Byte.SIZE);
            }
        }
    }

    /** The pixels of a box along one axis. The last pixel of an image bounds boxes, and belongs to none. */
    private record Span(int from, int below) {
        static Span of(float from, float below, int extent) {
            int end = inside(below, extent - 1);
            return new Span(inside(from, end), end);
        }

        private static int inside(float place, int most) {
            return Math.clamp(Math.round((double) place), 0, Math.max(0, most));
        }

        int extent() {
            return below - from;
        }

        /** Returns the span with room for a line, of which the smaller half lies in front. */
        Span grown(int line, int extent) {
            return new Span(Math.max(0, from - line / 2), Math.min(extent - 1, below + line - line / 2));
        }
    }
}
