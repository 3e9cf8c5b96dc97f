package dev.millrace.session.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.spi.ProviderFactory;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FactoriesTest {
    @Test
    void thoseOfTheClassPathAreFoundAndThePlainOneIsAskedLast() {
        Factories factories = Factories.search(FactoriesTest.class.getClassLoader());

        assertThat(factories.names()).contains("simd").endsWith("cpu");
        factories.close();
    }

    @Test
    void twoOfOneNameAreRefused() {
        assertThatThrownBy(() -> Factories.of(List.of(new CpuFactory(), new CpuFactory())))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("two providers are called 'cpu'");
    }

    @Test
    void aSearchThatFailsSaysSoToWhoeverAsksAndClosesQuietly(@TempDir Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(ProviderFactory.class.getName()), "there.is.no.such.Factory");
        var paths = new URL[] {folder.toUri().toURL()};
        try (var loader = new URLClassLoader(paths, FactoriesTest.class.getClassLoader())) {
            Factories factories = Factories.search(loader);

            assertThatThrownBy(factories::names)
                    .isInstanceOf(ServiceConfigurationError.class)
                    .hasMessageContaining("there.is.no.such.Factory");
            factories.close();
        }
    }

    @Test
    void whoeverIsInterruptedWaitsAndStaysInterrupted() {
        Factories factories = Factories.search(FactoriesTest.class.getClassLoader());
        Thread.currentThread().interrupt();

        assertThat(factories.names()).isNotEmpty();

        assertThat(Thread.interrupted()).isTrue();
    }
}
