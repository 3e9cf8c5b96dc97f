package dev.millrace.providers.tests;

import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.testkit.device.Fault;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests of a provider, for its author to extend: a subclass says where the provider comes from, by {@link #factory} or
 * {@link #library}. A test that does not apply, such as one of devices where the provider has none, is skipped with the
 * reason.
 */
@Timeout(600)
public abstract class ProviderTests {
    @TempDir
    private Path folder = Path.of("");

    /** Returns a new factory, which serves one engine; null where the provider is in {@link #library}. */
    protected @Nullable ProviderFactory factory() {
        return null;
    }

    /**
     * The jar of the provider, which is registered with engines as a library and unloaded again; null where there is a
     * {@link #factory}. The provider must not be on the class path as well.
     */
    protected @Nullable Path library() {
        return null;
    }

    /** The options with which sessions ask for the provider. */
    protected Map<String, String> options() {
        return Map.of();
    }

    /** The operators that the provider takes, such as {@code MatMul}: the tests fail where it takes none of such nodes. */
    protected Set<String> operators() {
        return Set.of();
    }

    /** The options with which every run of the provider has a fault; null where it cannot have that one. */
    protected @Nullable Map<String, String> failing(Fault fault) {
        return null;
    }

    /** The largest difference between real numbers of the provider and of {@code cpu}, as a part of the largest number. */
    protected double tolerance() {
        return 1e-5;
    }

    private Subject subject() {
        return new Subject(this, folder);
    }

    @Test
    void smallModelsGiveTheAnswersOfTheHost() {
        new AnswerSuite(subject()).smallModels();
    }

    @Test
    void randomGraphsGiveTheAnswersOfTheHost() {
        new AnswerSuite(subject()).randomGraphs();
    }

    @Test
    void onnxCasesPassIfTheyDoOnTheHost() throws Exception {
        new OnnxSuite(subject()).cases();
    }

    @Test
    void runsAtTheSameTimeGiveEachItsAnswer() {
        new AnswerSuite(subject()).manyRuns();
    }

    @Test
    void aContextWithItsBinaryBesideIsLoadedAgain() throws Exception {
        new ContextSuite(subject()).reload(false);
    }

    @Test
    void aContextWithItsBinaryInsideIsLoadedAgain() throws Exception {
        new ContextSuite(subject()).reload(true);
    }

    @Test
    void twoModelsShareABinary() throws Exception {
        new ContextSuite(subject()).sharing();
    }

    @Test
    void aBinaryThatIsGoneOrDamagedIsRefused() throws Exception {
        new ContextSuite(subject()).damage();
    }

    @Test
    void aCompilationThatIsCancelledWritesNothing() throws Exception {
        new ContextSuite(subject()).cancelled();
    }

    @Test
    void streamsDoTheirWorkInOrder() {
        new DeviceSuite(subject()).order();
    }

    @Test
    void completionsAreToldOnceAndInOrder() {
        new DeviceSuite(subject()).notifications();
    }

    @Test
    void memoryOfADeviceIsGivenBack() {
        new DeviceSuite(subject()).memory();
    }

    @Test
    void resultsThatStayOnADeviceAreReadLater() {
        new DeviceSuite(subject()).staying();
    }

    @Test
    void aCancelledRunEndsAndTheNextOneIsRight() {
        new FaultSuite(subject()).cancellation();
    }

    @Test
    void closingWhileRunsAreUnderWayEndsThem() {
        new FaultSuite(subject()).closing();
    }

    @Test
    void anUnknownOptionIsRefused() {
        new FaultSuite(subject()).unknownOption();
    }

    @Test
    void aLaunchThatIsRefusedFailsItsRunAlone() {
        new FaultSuite(subject()).fault(Fault.REFUSED);
    }

    @Test
    void workThatFailsOnTheDeviceFailsItsRunAlone() {
        new FaultSuite(subject()).fault(Fault.ERROR);
    }

    @Test
    void workThatIsToldLateToHaveFailedFailsItsRunAlone() {
        new FaultSuite(subject()).fault(Fault.LATE_ERROR);
    }

    @Test
    void memoryThatIsNotThereFailsItsRunAlone() {
        new FaultSuite(subject()).fault(Fault.OUT_OF_MEMORY);
    }

    @Test
    void aDeviceThatIsLostEndsItsRuns() {
        new FaultSuite(subject()).lost();
    }

    @Test
    void theJarIsUnloadedAfterUse() throws Exception {
        new LibrarySuite(subject()).unloading();
    }
}
