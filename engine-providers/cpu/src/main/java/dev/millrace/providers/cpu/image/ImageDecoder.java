package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.image.jpeg2000.Jpeg2000;
import dev.millrace.providers.cpu.image.webp.WebP;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The kernel that decodes image files: BMP, GIF, JPEG, PNG and TIFF by {@link StandardImage}, the PNM formats by
 * {@link PortableMap}, WebP and JPEG 2000 by the packages of their names.
 */
final class ImageDecoder implements DynamicKernel {
    /** So many pixels of a row are converted before it is asked again whether anybody waits for them. */
    private static final int AT_ONCE = 1 << 16;

    private final Node node;
    private final String format;

    ImageDecoder(Node node) {
        this.node = node;
        this.format = node.attributes().text("pixel_format", "RGB");
        if (!format.equals("RGB") && !format.equals("BGR") && !format.equals("Grayscale")) {
            throw EngineException.invalidGraph(
                    node.describe() + ": pixel_format '" + format + "'; known are RGB, BGR, Grayscale");
        }
    }

    @Override
    public void run(DynamicContext context) {
        byte[] file = context.tensor(0).segment().toArray(ValueLayout.JAVA_BYTE);
        String kind = kind(file);
        BufferedImage image;
        try {
            image = switch (kind) {
                case "PNM" -> PortableMap.read(file, context::checkCancelled);
                case "WebP" -> WebP.read(file, context::checkCancelled);
                case "JPEG 2000" -> Jpeg2000.read(file, context::checkCancelled);
                default -> StandardImage.read(file, context::checkCancelled);
            };
        } catch (UnsupportedOperationException e) {
            throw EngineException.wrap(
                    Status.NOT_IMPLEMENTED, node.describe() + ": the " + kind + " image has what is not decoded", e);
        } catch (EngineException e) {
            throw e.at(node.describe());
        } catch (IOException | RuntimeException e) {
            throw EngineException.wrap(Status.INVALID_ARGUMENT, node.describe() + ": the image is broken", e);
        }
        if (image == null) {
            throw EngineException.notImplemented(node.describe() + ": the format of the image is not known");
        }
        context.output(0, pixels(image, context));
    }

    private static String kind(byte[] file) {
        String head = new String(file, 0, Math.min(file.length, 12), StandardCharsets.ISO_8859_1);
        if (head.startsWith("RIFF") && head.endsWith("WEBP")) {
            return "WebP";
        }
        if (head.startsWith("jP", 4) || head.startsWith("\u00ffO\u00ffQ")) {
            return "JPEG 2000";
        }
        return head.matches("(?s)P[1-6]\\s.*") ? "PNM" : "other";
    }

    private Tensor pixels(BufferedImage image, DynamicContext context) {
        int height = image.getHeight();
        int width = image.getWidth();
        int channels = format.equals("Grayscale") ? 1 : 3;
        boolean blueFirst = format.equals("BGR");
        Tensor pixels = Tensor.allocate(ElementType.UINT8, Shape.of(height, width, channels));
        int[] some = new int[Math.min(width, AT_ONCE)];
        boolean isGrey = isGrey(image);
        long at = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x += some.length) {
                context.checkCancelled();
                int count = Math.min(some.length, width - x);
                if (isGrey) {
                    readGreys(image, x, y, count, some);
                } else {
                    image.getRGB(x, y, count, 1, some, 0, count);
                }
                for (int i = 0; i < count; i++) {
                    int red = (some[i] >> 16) & 255;
                    int green = (some[i] >> 8) & 255;
                    int blue = some[i] & 255;
                    if (channels == 1) {
                        pixels.segment().set(ByteLayouts.BYTE, at++, (byte) luma(red, green, blue));
                    } else {
                        pixels.segment().set(ByteLayouts.BYTE, at++, (byte) (blueFirst ? blue : red));
                        pixels.segment().set(ByteLayouts.BYTE, at++, (byte) green);
                        pixels.segment().set(ByteLayouts.BYTE, at++, (byte) (blueFirst ? red : blue));
                    }
                }
            }
        }
        return pixels;
    }

    /** Whether an image has samples of grey, which AWT would convert as if they were linear in light. */
    private static boolean isGrey(BufferedImage image) {
        return image.getColorModel() instanceof ComponentColorModel colours
                && colours.getColorSpace().getType() == ColorSpace.TYPE_GRAY;
    }

    /** Reads pixels of grey as red, green and blue. Samples of more than 8 bits are scaled. */
    private static void readGreys(BufferedImage image, int x, int y, int count, int[] pixels) {
        image.getRaster().getSamples(x, y, count, 1, 0, pixels);
        int most = (1 << image.getColorModel().getComponentSize(0)) - 1;
        for (int i = 0; i < count; i++) {
            int grey = most == 255 ? pixels[i] : (int) ((pixels[i] * 255L + most / 2) / most);
            pixels[i] = grey * 0x010101;
        }
    }

    /** Computes luma by the weights of ITU-R BT.601, in 65,536ths, rounded. */
    private static int luma(int red, int green, int blue) {
        return (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16;
    }
}
