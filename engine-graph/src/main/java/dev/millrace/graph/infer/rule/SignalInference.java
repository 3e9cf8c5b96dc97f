package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;

/** Fourier transforms and what is made for them. */
final class SignalInference {
    private static final Dim COMPLEX = Dim.of(2);

    private SignalInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case OpName.DFT -> dft(c);
            case "STFT" -> stft(c);
            case "MelWeightMatrix" -> {
                OperandChecks.one(c, 0, 1, 2, 3, 4);
                c.set(0, outputType(c), List.of(oneSided(c.integer(1)), c.integer(0)));
            }
            default -> c.set(0, outputType(c), List.of(c.integer(0)));
        }
    }

    private static ElementType outputType(InferenceContext c) {
        return ElementType.requireCode(c.attributes().integer("output_datatype", ElementType.FLOAT.code()));
    }

    /** How many bins are left of {@code length} when the mirrored half is dropped. */
    private static Dim oneSided(Dim length) {
        return Dims.add(Dims.floorDiv(length, 2), 1);
    }

    private static void dft(InferenceContext c) {
        List<Dim> x = c.dims(0, 2, Integer.MAX_VALUE);
        OperandChecks.one(c, 1, 2);
        if (x == null) {
            c.set(0, c.element(0), null);
            return;
        }
        if (x.getLast().isKnown() && !x.getLast().is(1) && !x.getLast().is(2)) {
            throw c.refuse("the last axis of shape " + x + " holds neither real nor complex numbers");
        }
        boolean inverse = c.attributes().flag("inverse", false);
        boolean oneSided = c.attributes().flag("onesided", false);
        boolean real = inverse && oneSided;
        Dim parts = real ? Dims.ONE : COMPLEX;
        Dim axis = c.opset() < 20 ? Dim.of(c.attributes().integer("axis", 1)) : c.integer(2, Dim.of(-2));
        if (!(axis instanceof Dim.Known known)) {
            var unknown = new ArrayList<>(Dims.unknown(x.size()));
            unknown.set(x.size() - 1, parts);
            c.set(0, c.element(0), unknown);
            return;
        }
        int at = c.axis(known.extent(), x.size());
        if (at == x.size() - 1) {
            throw c.refuse("the last axis holds the parts of complex numbers and cannot be transformed");
        }
        Dim length = c.integer(1, real ? Dims.mul(Dims.add(x.get(at), -1), 2) : x.get(at));
        var dims = new ArrayList<>(x);
        dims.set(at, oneSided && !inverse ? oneSided(length) : length);
        dims.set(x.size() - 1, parts);
        c.set(0, c.element(0), dims);
    }

    private static void stft(InferenceContext c) {
        List<Dim> signal = c.dims(0, 2, 3);
        c.dims(2, 1);
        OperandChecks.one(c, 1, 3);
        if (c.has(2) && c.has(3)) {
            OperandChecks.shape(c, 2, c.integer(3));
        }
        if (signal != null && signal.size() == 3 && signal.get(2) instanceof Dim.Known parts) {
            if (parts.extent() < 1 || parts.extent() > 2) {
                throw c.refuse("a signal of shape " + signal + " is neither of real nor of complex numbers");
            }
        }
        Dim samples = signal == null ? Dim.UNKNOWN : signal.get(1);
        Dim frame = c.has(3) ? c.integer(3) : c.has(2) ? c.dim(2, 0) : samples;
        Dim step = c.integer(1);
        if (step instanceof Dim.Known known && known.extent() <= 0) {
            throw c.refuse("frame_step is " + known + " where a positive number is expected");
        }
        Dim frames = Dims.add(Dims.floorDiv(Dims.sub(samples, frame), step), 1);
        Dim bins = c.attributes().flag("onesided", true) ? oneSided(frame) : frame;
        c.set(0, c.element(0), List.of(signal == null ? Dim.UNKNOWN : signal.getFirst(), frames, bins, COMPLEX));
    }
}
