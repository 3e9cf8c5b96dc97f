package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtEnvironment.OrtCompiledModelCompatibility;
import ai.onnxruntime.OrtEnvironment.ThreadingOptions;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtHardwareDevice.OrtHardwareDeviceType;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtLoraAdapter;
import ai.onnxruntime.OrtProvider;
import ai.onnxruntime.OrtSession.SessionOptions;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The environment: one in a process, what it offers, and what it refuses. */
@Tag("reference")
class EnvironmentTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @Test
    void thereIsOneInAProcess() {
        assertThat(OrtEnvironment.getEnvironment()).isSameAs(environment);
        assertThat(OrtEnvironment.getEnvironment("another")).isSameAs(environment);
        assertThat(OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR))
                .isSameAs(environment);
        assertThat(OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL, "third"))
                .isSameAs(environment);
        assertThat(OrtEnvironment.DEFAULT_NAME).isEqualTo("ort-java");
    }

    @Test
    void itsThreadsAreThoseOfTheFirstCall() {
        assertThatThrownBy(() -> OrtEnvironment.getEnvironment(
                        OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR, "late", new ThreadingOptions()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void itSurvivesBeingClosed() throws OrtException {
        environment.close();
        environment.close();
        assertThat(OrtEnvironment.getEnvironment()).isSameAs(environment);
        try (var session = environment.createSession(SmallModels.sum())) {
            assertThat(session.getNumInputs()).isEqualTo(2);
        }
    }

    @Test
    void itDescribesItself() {
        assertThat(environment.getVersion()).isEqualTo("1.29.0");
        assertThat(environment.toString()).startsWith("OrtEnvironment(name=").endsWith(",version=1.29.0)");
    }

    @Test
    void telemetryCanBeSwitched() {
        assertThatCode(() -> environment.setTelemetry(false)).doesNotThrowAnyException();
    }

    @Test
    void thereIsNoTraining() {
        assertThat(environment.isTrainingEnabled()).isFalse();
        assertThatThrownBy(() -> environment.createTrainingSession("a", "b", "c", "d"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> environment.createTrainingSession("a", "b", "c", "d", new SessionOptions()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theProcessorIsTheOnlyDevice() throws OrtException {
        assertThat(OrtEnvironment.getAvailableProviders()).containsExactly(OrtProvider.CPU);
        assertThat(environment.getEpDevices()).singleElement().satisfies(device -> {
            assertThat(device.getEpName()).isEqualTo("CPUExecutionProvider");
            assertThat(device.getEpVendor()).isNotEmpty();
            assertThat(device.getEpMetadata()).containsEntry("version", "1.29.0");
            assertThat(device.getEpOptions()).isEmpty();
            assertThat(device.getDevice().getType()).isEqualTo(OrtHardwareDeviceType.CPU);
            assertThat(device.getDevice().getVendor()).isNotEmpty();
            assertThat(device.getDevice().getDeviceId()).isZero();
            assertThat(device.getDevice().getVendorId()).isNotNegative();
            assertThat(device.getDevice().getMetadata()).isEmpty();
            assertThat(device.toString()).startsWith("OrtEpDevice{epName='CPUExecutionProvider', epVendor='");
            assertThat(device.getDevice().toString()).startsWith("OrtHardwareDevice{type=CPU, vendorId=");
        });
    }

    @Test
    void compiledModelsDoNotConcernTheProcessor() throws OrtException {
        assertThat(environment.getModelCompatibilityForEpDevices(environment.getEpDevices(), "any"))
                .isEqualTo(OrtCompiledModelCompatibility.EP_NOT_APPLICABLE);
        assertThatThrownBy(() -> environment.getModelCompatibilityForEpDevices(List.of(), "any"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void librariesThatAreNotThereAreRefused() {
        assertThat(Failing.codeOf(() -> environment.registerExecutionProviderLibrary("a", "/no/such.so")))
                .isEqualTo(OrtErrorCode.ORT_FAIL);
        assertThat(Failing.codeOf(() -> environment.unregisterExecutionProviderLibrary("a")))
                .isEqualTo(OrtErrorCode.ORT_FAIL);
    }

    @Test
    void adaptersThatAreNoneAreRefused() {
        Failing.codeOf(() -> OrtLoraAdapter.create(new byte[] {1, 2, 3}).close());
        Failing.codeOf(() -> OrtLoraAdapter.create("/no/such").close());
        Failing.codeOf(() -> OrtLoraAdapter.create(ByteBuffer.allocateDirect(8)).close());
    }

    @Test
    void threadingOptionsCheckTheirNumbers() throws OrtException {
        try (var options = new ThreadingOptions()) {
            options.setGlobalInterOpNumThreads(2);
            options.setGlobalIntraOpNumThreads(2);
            options.setGlobalSpinControl(false);
            options.setGlobalDenormalAsZero();
            assertThatThrownBy(() -> options.setGlobalInterOpNumThreads(-1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> options.setGlobalIntraOpNumThreads(-1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void threadingOptionsCloseOnce() {
        var options = new ThreadingOptions();
        options.close();
        assertThatThrownBy(options::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> options.setGlobalIntraOpNumThreads(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> options.setGlobalSpinControl(true)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void itsNameAndLevelAreNotNull() {
        String noName = null;
        OrtLoggingLevel noLevel = null;
        assertThatThrownBy(() -> OrtEnvironment.getEnvironment(noName)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> OrtEnvironment.getEnvironment(noLevel)).isInstanceOf(NullPointerException.class);
    }
}
