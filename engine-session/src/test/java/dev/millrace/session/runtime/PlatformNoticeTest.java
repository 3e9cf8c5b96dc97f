package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.prepare.Factories;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlatformNoticeTest {
    @Test
    void aClassPathWithoutTheFastProviderIsNoted() {
        var notice = new PlatformNotice(Factories.of(List.of(new CpuFactory())), 1);

        assertThat(notice.report().levels()).isEmpty();
        assertThat(notice.report().notes())
                .singleElement()
                .asString()
                .contains("provider 'simd' is not on the class path", "millrace-provider-simd", "[cpu]");
    }

    @Test
    void theReportOfAnEngineHasTheLevelOfItsProvider() {
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            assertThat(engine.platform().notes()).isEmpty();
            assertThat(engine.platform().levels()).containsOnlyKeys("simd");
        }
    }
}
