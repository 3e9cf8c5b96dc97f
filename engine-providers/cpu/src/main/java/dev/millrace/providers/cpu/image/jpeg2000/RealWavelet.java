package dev.millrace.providers.cpu.image.jpeg2000;

/** The inverse 9/7 wavelet transform (Cohen-Daubechies-Feauveau, by lifting) in single precision. */
final class RealWavelet extends Wavelet<float[]> {
    private static final float LOW_GAIN = 1.2301741f;
    /** The gain of high samples: twice the inverse of the transform's, since high bands come without their own gain. */
    private static final float HIGH_GAIN = 1.6257324f;

    /** The lifting coefficients, applied to low and high samples in turn. */
    private static final float[] STEPS = {-0.44350687f, -0.8829111f, 0.052980117f, 1.5861343f};

    @Override
    float[] make(int samples) {
        return new float[samples];
    }

    @Override
    void spread(float[] band, int from, int count, float[] out, int to) {
        for (int i = 0; i < count; i++) {
            out[to + 2 * i] = band[from + i];
        }
    }

    @Override
    void undo(float[] values, int base, int stride, int lanes, int count, int odd) {
        if (count == 1) {
            return;
        }
        for (int i = 0; i < count; i++) {
            float gain = (i & 1) == odd ? LOW_GAIN : HIGH_GAIN;
            for (int lane = base + i * stride; lane < base + i * stride + lanes; lane++) {
                values[lane] *= gain;
            }
        }
        for (int step = 0; step < STEPS.length; step++) {
            float share = STEPS[step];
            for (int i = step % 2 ^ odd; i < count; i += 2) {
                int at = base + i * stride;
                int before = i == 0 ? at + stride : at - stride;
                int after = i == count - 1 ? at - stride : at + stride;
                for (int lane = 0; lane < lanes; lane++) {
                    values[at + lane] += (values[before + lane] + values[after + lane]) * share;
                }
            }
        }
    }
}
