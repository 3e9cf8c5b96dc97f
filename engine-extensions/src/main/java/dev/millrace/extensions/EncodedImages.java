package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import javax.imageio.ImageIO;

/** The kernels that read and write images in files. Pixels are rows of three bytes, blue first unless an attribute says so. */
final class EncodedImages {
    private static final int CHANNELS = 3;
    private static final int BITS = 8;
    private static final int BYTE = 0xff;

    private EncodedImages() {}

    /** Whether the first byte of a pixel is red. */
    private static boolean isRedFirst(Node node) {
        String order = node.attributes().text("color_space", "bgr").toLowerCase(Locale.ROOT);
        return switch (order) {
            case "bgr" -> false;
            case "rgb" -> true;
            default ->
                throw EngineException.invalidGraph(node.describe() + ": color_space '" + order + "'; it is bgr or rgb");
        };
    }

    private static byte[] bytes(Tensor tensor) {
        return tensor.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    private static void set(DynamicContext context, byte[] values, long... dims) {
        Tensor made = context.allocate(ElementType.UINT8, Shape.of(dims));
        MemorySegment.copy(values, 0, made.segment(), ValueLayout.JAVA_BYTE, 0, values.length);
        context.output(0, made);
    }

    /** Returns a pixel as red, green and blue. AWT takes grey values for linear ones, and would make them brighter. */
    private static int pixel(BufferedImage image, int x, int y) {
        boolean isGrey = image.getColorModel().getColorSpace().getType() == ColorSpace.TYPE_GRAY
                && image.getColorModel() instanceof ComponentColorModel;
        if (!isGrey) {
            return image.getRGB(x, y);
        }
        int most = (1 << image.getColorModel().getComponentSize(0)) - 1;
        int grey = (int) (((long) image.getRaster().getSample(x, y, 0) * BYTE + most / 2) / most);
        return grey << 2 * BITS | grey << BITS | grey;
    }

    static DynamicKernel decoder(Node node) {
        int first = isRedFirst(node) ? 2 * BITS : 0;
        return context -> {
            BufferedImage image;
            try {
                image = ImageIO.read(new ByteArrayInputStream(bytes(context.tensor(0))));
            } catch (IOException | RuntimeException e) {
                throw EngineException.invalidArgument(node.describe() + ": the image is damaged: " + e.getMessage());
            }
            if (image == null) {
                throw EngineException.invalidArgument(
                        node.describe() + ": the bytes are no image in a format of the JDK");
            }
            byte[] pixels =
                    new byte[Math.multiplyExact(Math.multiplyExact(image.getWidth(), image.getHeight()), CHANNELS)];
            int at = 0;
            for (int y = 0; y < image.getHeight(); y++) {
                context.checkCancelled();
                for (int x = 0; x < image.getWidth(); x++) {
                    int pixel = pixel(image, x, y);
                    pixels[at++] = (byte) (pixel >> first);
                    pixels[at++] = (byte) (pixel >> BITS);
                    pixels[at++] = (byte) (pixel >> 2 * BITS - first);
                }
            }
            set(context, pixels, image.getHeight(), image.getWidth(), CHANNELS);
        };
    }

    static DynamicKernel encoder(Node node) {
        int first = isRedFirst(node) ? 2 * BITS : 0;
        String format = node.attributes().text("format", "jpg");
        if (!format.equals("jpg") && !format.equals("png")) {
            throw EngineException.invalidGraph(node.describe() + ": format '" + format + "'; it is jpg or png");
        }
        return context -> {
            Tensor pixels = context.tensor(0);
            long[] dims = pixels.shape().toArray();
            if (dims.length != CHANNELS || dims[2] != CHANNELS || pixels.elements() == 0) {
                throw EngineException.invalidArgument(node.describe() + ": pixels of the shape " + pixels.shape()
                        + "; [height, width, 3] is expected");
            }
            int height = Math.toIntExact(dims[0]);
            int width = Math.toIntExact(dims[1]);
            byte[] all = bytes(pixels);
            var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
            for (int i = 0; i < width * height; i++) {
                int pixel = (all[CHANNELS * i] & BYTE) << first
                        | (all[CHANNELS * i + 1] & BYTE) << BITS
                        | (all[CHANNELS * i + 2] & BYTE) << 2 * BITS - first;
                image.setRGB(i % width, i / width, pixel);
            }
            var file = new ByteArrayOutputStream();
            try {
                ImageIO.write(image, format, file);
            } catch (IOException e) {
                throw EngineException.wrap(Status.FAIL, node.describe(), e);
            }
            set(context, file.toByteArray(), file.size());
        };
    }
}
