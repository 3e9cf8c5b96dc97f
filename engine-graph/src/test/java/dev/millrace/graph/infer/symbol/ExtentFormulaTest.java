package dev.millrace.graph.infer.symbol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import org.junit.jupiter.api.Test;

class ExtentFormulaTest {
    private static long value(String formula, long divisor) {
        return ExtentFormula.of(new Dim.Symbol(formula)).value(name -> name.equals("n") ? 7 : divisor);
    }

    @Test
    void divisionsRoundDown() {
        assertThat(value("floordiv(n, d)", 2)).isEqualTo(3);
        assertThat(value("mod(n, d)", 2)).isEqualTo(1);
    }

    @Test
    void aDivisorThatIsZeroIsRefused() {
        for (String function : new String[] {"floordiv", "mod"}) {
            assertThatThrownBy(() -> value(function + "(n, d)", 0))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining(function)
                    .hasMessageContaining("divides by zero");
        }
    }
}
