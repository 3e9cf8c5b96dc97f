package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdkCheckTest {
    @ParameterizedTest
    @ValueSource(strings = {"25", "25.0.1+8", "25.0.2+10-LTS"})
    void releasesThatMoveArraysInUseAreNamed(String release) {
        assertThat(JdkCheck.trouble(Runtime.Version.parse(release)))
                .contains("JDK " + release, "G1", "-XX:+UseParallelGC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"25.0.3", "25.0.3+9-LTS", "25.0.10", "26-ea", "27.0.1"})
    void laterOnesAreNot(String release) {
        assertThat(JdkCheck.trouble(Runtime.Version.parse(release))).isNull();
    }
}
