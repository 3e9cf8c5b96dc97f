package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProviderChoiceTest {
    @Test
    void theSameOptionsAreTheSameText() {
        Map<String, String> given = new LinkedHashMap<>();
        for (String key : new String[] {"tune", "portable", "strict", "c", "b", "a"}) {
            given.put(key, "true");
        }

        assertThat(new ProviderChoice("simd", given).toString())
                .contains("{a=true, b=true, c=true, portable=true, strict=true, tune=true}");
    }

    @Test
    void optionsAreCopiedAndThereAreNoNulls() {
        Map<String, String> given = new HashMap<>(Map.of("a", "1"));
        var choice = new ProviderChoice("simd", given);
        given.put("b", null);

        assertThat(choice.options()).isEqualTo(Map.of("a", "1"));
        assertThatThrownBy(() -> new ProviderChoice("simd", given)).isInstanceOf(NullPointerException.class);
    }
}
