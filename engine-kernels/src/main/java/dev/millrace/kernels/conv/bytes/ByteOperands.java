package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedResult;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Checks of the images of convolutions of bytes. */
final class ByteOperands {
    private ByteOperands() {}

    static void check(ConvShape shape, QuantisedMatrix in, QuantisedResult out) {
        long pixels = Math.multiplyExact(shape.inPixels(), shape.batch());
        CallChecks.byteMatrix("the input", in.data(), pixels, shape.channels(), in.stride());
        checkSingle("zero point", in.zeroPoints(), 1);
        checkSingle("scale", in.scales(), Float.BYTES);
        out.check(Math.multiplyExact(shape.outPixels(), shape.batch()), shape.outChannels());
        CallChecks.apart("the output", out.data(), "the input", in.data());
    }

    private static void checkSingle(String what, @Nullable MemorySegment segment, int bytes) {
        if (segment != null && segment.byteSize() != bytes) {
            throw new IllegalArgumentException("an image has one " + what + ", of " + bytes + " bytes, but "
                    + segment.byteSize() + " bytes are given");
        }
    }
}
