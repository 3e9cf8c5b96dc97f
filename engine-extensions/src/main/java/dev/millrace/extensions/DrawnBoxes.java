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
        void draw(float[] corners, int colour, long thickness) {
            int right = rounded(corners[2], width - 1);
            int bottom = rounded(corners[3], height - 1);
            int left = rounded(corners[0], right);
            int top = rounded(corners[1], bottom);
            int extent = Math.min(right - left, bottom - top);
            int wide = (int) Math.min(thickness, extent);
            if (wide < 1) {
                return;
            }
            // the line lies half outside the box, unless it fills the box
            int outside = wide == extent ? 0 : wide / 2;
            int behind = wide == extent ? 0 : wide - outside;
            int x = Math.max(0, left - outside);
            int y = Math.max(0, top - outside);
            int endX = Math.min(width - 1, right + behind);
            int endY = Math.min(height - 1, bottom + behind);
            fill(x, y, endX, Math.min(height, y + wide), colour);
            fill(x, y, Math.min(width, x + wide), endY, colour);
            fill(x, endY - wide, endX, endY, colour);
            fill(endX - wide, y, endX, endY, colour);
        }

        private static int rounded(float place, int most) {
            return (int) Math.clamp(Math.round((double) place), 0, most);
        }

        private void fill(int left, int top, int right, int bottom, int colour) {
            for (int y = top; y < bottom; y++) {
                for (int x = left; x < right; x++) {
                    int at = (y * width + x) * CHANNELS;
                    for (int channel = 0; channel < CHANNELS; channel++) {
                        pixels[at + channel] = (byte) (colour >> channel * Byte.SIZE);
                    }
                }
            }
        }
    }
}
