package dev.millrace.providers.cpu.signal;

import dev.millrace.scheduler.kernel.RunServices;
import org.jspecify.annotations.Nullable;

/** A transform that the first run makes, which can be cancelled meanwhile, as binding cannot. */
final class LaterFourier {
    private final int length;
    private volatile @Nullable Fourier made;

    LaterFourier(int length) {
        this.length = length;
    }

    int length() {
        return length;
    }

    Fourier get(RunServices run) {
        Fourier known = made;
        if (known == null) {
            known = new Fourier(length, run);
            made = known;
        }
        return known;
    }
}
