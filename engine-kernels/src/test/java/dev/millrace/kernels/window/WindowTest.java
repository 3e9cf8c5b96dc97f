package dev.millrace.kernels.window;

import dev.millrace.kernels.RandomCases;
import org.junit.jupiter.api.Test;

class WindowTest {
    @Test
    void randomWindowsAreRightAndStayInside() {
        RandomCases.run(new WindowCase(), "avx512", 400);
    }

    @Test
    void randomWindowsAreRightAndStayInsideWhenInterpreted() {
        RandomCases.run(new WindowCase(), "plain", 60);
    }
}
