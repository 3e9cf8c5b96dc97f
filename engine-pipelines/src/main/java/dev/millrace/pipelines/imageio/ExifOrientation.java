package dev.millrace.pipelines.imageio;

import dev.millrace.pipelines.image.RgbImage;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The orientation of a photograph, which cameras write into JPEG files (Exif 2.32, tag 0x112). */
final class ExifOrientation {
    private static final int UPRIGHT = 1;
    private static final int MOST = 8;
    private static final int START_OF_IMAGE = 0xffd8;
    private static final int APPLICATION_1 = 0xffe1;
    /** The first marker that has pixels behind it. */
    private static final int START_OF_SCAN = 0xffda;

    private static final int EXIF = 0x45786966;
    private static final short LITTLE_ENDIAN = 0x4949;
    private static final int ORIENTATION = 0x112;
    private static final int ENTRY = 12;

    private ExifOrientation() {}

    /** Returns the orientation of a file from 1 to 8; 1, upright, if it has none. */
    static int of(byte[] content) {
        try {
            return segments(ByteBuffer.wrap(content));
        } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
            // what is not as Exif says does not change the pixels
            return UPRIGHT;
        }
    }

    private static int segments(ByteBuffer in) {
        if (Short.toUnsignedInt(in.getShort()) != START_OF_IMAGE) {
            return UPRIGHT;
        }
        while (true) {
            int marker = Short.toUnsignedInt(in.getShort());
            if (marker < 0xff00 || marker == START_OF_SCAN) {
                return UPRIGHT;
            }
            int next = in.position() + Short.toUnsignedInt(in.getShort());
            if (marker == APPLICATION_1 && next - in.position() > 6 && in.getInt() == EXIF) {
                in.getShort();
                return directory(in.slice(in.position(), next - in.position()));
            }
            in.position(next);
        }
    }

    private static int directory(ByteBuffer in) {
        in.order(in.getShort() == LITTLE_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        in.getShort();
        in.position(in.getInt());
        int entries = Short.toUnsignedInt(in.getShort());
        for (int i = 0; i < entries; i++) {
            int entry = in.position();
            if (Short.toUnsignedInt(in.getShort()) == ORIENTATION) {
                int value = in.position(entry + 8).getShort();
                return value >= UPRIGHT && value <= MOST ? value : UPRIGHT;
            }
            in.position(entry + ENTRY);
        }
        return UPRIGHT;
    }

    /** Returns an image as it was seen by the camera. */
    static RgbImage upright(RgbImage image, int orientation) {
        return switch (orientation) {
            case 2 -> image.mirrored();
            case 3 -> image.upsideDown();
            case 4 -> image.mirrored().upsideDown();
            case 5 -> image.mirrored().turnedLeft();
            case 6 -> image.turnedLeft().upsideDown();
            case 7 -> image.mirrored().turnedLeft().upsideDown();
            case 8 -> image.turnedLeft();
            default -> image;
        };
    }
}
