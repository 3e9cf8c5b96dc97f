package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;

/** The Fourier transforms of an array of DJL. Complex numbers move and are transformed; they have no other arithmetic. */
abstract class SpectralArray extends LinearArray {
    SpectralArray(NDManager manager, Shape shape, DataType type, String id) {
        super(manager, shape, type, id);
    }

    private boolean isComplex() {
        return getDataType() == DataType.COMPLEX64;
    }

    /** Returns the real and imaginary parts of the elements along a new last axis. */
    private ArrayData pairs() {
        ArrayData own = data();
        long[] shape = Arrays.copyOf(own.shape(), own.rank() + 1);
        shape[own.rank()] = 2;
        if (isComplex()) {
            return new ArrayData(DataType.FLOAT32, shape, own.bytes());
        }
        ArrayData pairs = ArrayData.zeros(DataType.FLOAT32, shape);
        for (int i = 0; i < own.size(); i++) {
            pairs.set(2 * i, own.get(i));
        }
        return pairs;
    }

    private static ArrayData complex(ArrayData pairs) {
        if (pairs.type() != DataType.FLOAT32 || pairs.rank() == 0 || pairs.extent(pairs.rank() - 1) != 2) {
            throw new IllegalArgumentException("complex numbers are pairs of FLOAT32 along the last axis, not "
                    + pairs.type() + " of the shape " + Arrays.toString(pairs.shape()));
        }
        return new ArrayData(DataType.COMPLEX64, Arrays.copyOf(pairs.shape(), pairs.rank() - 1), pairs.bytes());
    }

    @Override
    public NDArray complex() {
        return isComplex() ? this : of(complex(data()));
    }

    /** Returns the real and imaginary parts of complex numbers along a new last axis. */
    @Override
    public NDArray real() {
        return isComplex() ? of(pairs()) : this;
    }

    @Override
    public NDArray conj() {
        if (!isComplex()) {
            return this;
        }
        ArrayData pairs = pairs().cast(DataType.FLOAT32);
        for (int i = 1; i < pairs.size(); i += 2) {
            pairs.set(i, -pairs.get(i));
        }
        return of(complex(pairs));
    }

    @Override
    public NDArray abs() {
        if (!isComplex()) {
            return super.abs();
        }
        return of(ArrayMath.reduce(
                pairs(), new int[] {-1}, false, DataType.FLOAT32, pair -> Math.hypot(pair[0], pair[1])));
    }

    private int along(long axis) {
        return data().axis(Math.toIntExact(axis));
    }

    @Override
    public NDArray fft(long length, long axis) {
        return of(complex(SpectralLines.along(pairs(), along(axis), Math.toIntExact(length), false)));
    }

    @Override
    public NDArray ifft(long length, long axis) {
        return of(complex(SpectralLines.along(pairs(), along(axis), Math.toIntExact(length), true)));
    }

    /** Returns the first half of the spectrum of real numbers. */
    @Override
    public NDArray rfft(long length, long axis) {
        ArrayData whole = SpectralLines.along(pairs(), along(axis), Math.toIntExact(length), false);
        return of(complex(whole.part(along(axis), 0, length / 2 + 1)));
    }

    /** Returns the real numbers that have the first half of a spectrum. */
    @Override
    public NDArray irfft(long length, long axis) {
        ArrayData whole = SpectralLines.completed(pairs(), along(axis), Math.toIntExact(length));
        ArrayData pairs = SpectralLines.along(whole, along(axis), Math.toIntExact(length), true);
        return of(pairs.part(pairs.rank() - 1, 0, 1).reshaped(Arrays.copyOf(pairs.shape(), pairs.rank() - 1)));
    }

    @Override
    public NDArray fft2(long[] lengths, long[] axes) {
        return of(complex(along(lengths, axes, false)));
    }

    @Override
    public NDArray ifft2(long[] lengths, long[] axes) {
        return of(complex(along(lengths, axes, true)));
    }

    private ArrayData along(long[] lengths, long[] axes, boolean inverse) {
        if (lengths.length != axes.length) {
            throw new IllegalArgumentException(lengths.length + " lengths do not fit " + axes.length + " axes");
        }
        ArrayData pairs = pairs();
        for (int i = 0; i < axes.length; i++) {
            pairs = SpectralLines.along(pairs, along(axes[i]), Math.toIntExact(lengths[i]), inverse);
        }
        return pairs;
    }

    /** Returns the spectra of overlapping frames of signals, which are the last axis. Frames are the last axis of the result. */
    @Override
    public NDArray stft(
            long length, long hop, boolean center, NDArray window, boolean normalize, boolean returnComplex) {
        if (isComplex() || data().rank() == 0 || data().rank() > 2 || window.size() != length) {
            throw new IllegalArgumentException("signals of the shape " + getShape() + " and type " + getDataType()
                    + " with a window " + window.getShape() + " have no frames of " + length);
        }
        int size = Math.toIntExact(length);
        ArrayData lines = center ? SpectralLines.mirrored(data(), size / 2) : data();
        NDArray frames = of(
                SpectralLines.frames(lines, Math.toIntExact(hop), like(window).data()));
        NDArray scaled = normalize ? frames.div(Math.sqrt(length)) : frames;
        NDArray spectra = scaled.rfft(length, -1).transpose(0, 2, 1);
        NDArray result = data().rank() == 1 ? spectra.squeeze(0) : spectra;
        return returnComplex ? result : result.real();
    }
}
