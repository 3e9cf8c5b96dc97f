package dev.millrace.kernels.conv;

import dev.millrace.kernels.RandomCases;
import org.junit.jupiter.api.Test;

class ConvTest {
    @Test
    void randomConvolutionsAreRightAndStayInside() {
        RandomCases.run(new ConvCase(), "avx512", 400);
    }

    @Test
    void randomConvolutionsAreRightAndStayInsideWhenInterpreted() {
        RandomCases.run(new ConvCase(), "plain", 60);
    }

    @Test
    void randomImagesAreReorderedRightAndStayInside() {
        RandomCases.run(new ReorderCase(), "avx512", 400);
    }

    @Test
    void randomImagesAreReorderedRightAndStayInsideWhenInterpreted() {
        RandomCases.run(new ReorderCase(), "plain", 60);
    }
}
