package dev.millrace.server.config;

import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelDynamicBatching;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.server.protocol.ModelInstanceGroup;
import dev.millrace.server.protocol.ModelInstanceGroup.Kind;
import dev.millrace.server.protocol.ModelOutput;
import dev.millrace.server.protocol.ModelQueuePolicy;
import dev.millrace.server.protocol.ModelSequenceBatching;
import java.util.Set;

/** Refuses what a configuration says and the server does not honour, in one sentence. */
public final class ConfigRules {
    public static final String PLATFORM = "millrace_onnx";
    public static final String ENSEMBLE = "ensemble";

    private static final String OF_TENSOR_RT = "has a shape tensor or a non-linear format, which concern TensorRT";
    private static final Set<String> PLATFORMS = Set.of("", PLATFORM, "onnxruntime_onnx", ENSEMBLE);
    private static final Set<String> BACKENDS = Set.of("", "onnxruntime", "millrace");

    private final ModelConfig config;

    private ConfigRules(ModelConfig config) {
        this.config = config;
    }

    /** Checks a configuration; {@code name} is that of the model's folder. */
    public static void check(ModelConfig config, String name) {
        new ConfigRules(config).check(name);
    }

    private void check(String name) {
        refuse(
                !config.getName().isEmpty() && !config.getName().equals(name),
                "names the model '" + config.getName() + "'; its folder is '" + name + "'");
        refuse(
                !PLATFORMS.contains(config.getPlatform()) || !BACKENDS.contains(config.getBackend()),
                "has the platform '" + config.getPlatform() + "' and the backend '" + config.getBackend()
                        + "'; this server runs ONNX models (onnxruntime_onnx or onnxruntime) and ensembles");
        refuse(config.getMaxBatchSize() < 0, "has a negative max_batch_size");
        refuse(!config.getRuntime().isEmpty(), "names a runtime, which this server does not load");
        refuse(config.getCcModelFilenamesCount() > 0, "has cc_model_filenames, which concern graphics processors");
        refuse(config.getMetricTagsCount() > 0, "has metric_tags, which this server's metrics do not carry");
        refuse(
                config.getModelOperations().getOpLibraryFilenameCount() > 0,
                "has model_operations: this server loads no native libraries");
        refuse(
                config.getModelTransactionPolicy().getDecoupled(),
                "has a decoupled transaction policy; use generate_stream");
        refuse(
                config.getBatchInputCount() + config.getBatchOutputCount() > 0,
                "has batch_input or batch_output: ragged batches are not supported");
        refuse(
                config.getModelRepositoryAgents().getAgentsCount() > 0,
                "has model_repository_agents, which this server does not have");
        refuse(config.getResponseCache().getEnable(), "enables a response_cache, which this server does not have");
        refuse(
                config.getOptimization().getExecutionAccelerators().getGpuExecutionAcceleratorCount() > 0,
                "has gpu_execution_accelerator; this server computes on the processor");
        config.getInputList().forEach(this::checkInput);
        config.getOutputList().forEach(this::checkOutput);
        config.getInstanceGroupList().forEach(this::checkInstances);
        checkBatching(config.getDynamicBatching());
        checkSequences(config.getSequenceBatching());
        checkEnsemble();
    }

    private void checkInput(ModelInput input) {
        refuse(
                input.getAllowRaggedBatch(),
                "allows ragged batches of input '" + input.getName() + "'; they are not supported");
        refuse(input.getIsShapeTensor() || input.getIsNonLinearFormatIo(), OF_TENSOR_RT);
        refuse(
                input.hasReshape() && input.getReshape().getShapeList().stream().anyMatch(extent -> extent < 0),
                "reshapes input '" + input.getName() + "' to open extents; name all of them");
    }

    private void checkOutput(ModelOutput output) {
        refuse(output.getIsShapeTensor() || output.getIsNonLinearFormatIo(), OF_TENSOR_RT);
    }

    private void checkInstances(ModelInstanceGroup group) {
        refuse(
                group.getKind() == Kind.KIND_GPU || group.getGpusCount() > 0,
                "has instances on graphics processors (KIND_GPU); use KIND_CPU or KIND_AUTO");
        refuse(
                group.getPassive() || group.getProfileCount() > 0,
                "has passive instances or profiles, which this server does not have");
        refuse(
                group.getRateLimiter().getResourcesCount() > 0,
                "has rate limiter resources; this server shares threads by priority alone");
    }

    private void checkBatching(ModelDynamicBatching batching) {
        refuse(
                config.hasDynamicBatching() && config.getMaxBatchSize() == 0,
                "has dynamic_batching and no max_batch_size");
        refuse(
                batching.getPriorityQueuePolicyCount() > 0,
                "has a priority_queue_policy; the server has one queue for all priorities");
        refuse(
                batching.getDefaultQueuePolicy().getTimeoutAction() == ModelQueuePolicy.TimeoutAction.DELAY,
                "has the timeout_action DELAY; a request that is too late is refused (REJECT)");
        refuse(
                batching.getPriorityLevels() > 0
                        && (batching.getDefaultPriorityLevel() < 1
                                || batching.getDefaultPriorityLevel() > batching.getPriorityLevels()),
                "has priority_levels and no default_priority_level among them");
    }

    private void checkSequences(ModelSequenceBatching batching) {
        refuse(batching.getIterativeSequence(), "has iterative_sequence, which is not supported");
        for (ModelSequenceBatching.State state : batching.getStateList()) {
            refuse(
                    state.getUseGrowableMemory(),
                    "has growable memory for state '" + state.getInputName() + "', which is not supported");
            refuse(
                    state.getInitialStateCount() > 1,
                    "has several initial states of '" + state.getInputName() + "'; the server takes one");
        }
    }

    private void checkEnsemble() {
        boolean schedules = config.hasEnsembleScheduling();
        refuse(
                schedules != config.getPlatform().equals(ENSEMBLE),
                "has the platform 'ensemble' without ensemble_scheduling, or the other way round");
        if (schedules) {
            refuse(
                    config.getEnsembleScheduling().getMaxInflightRequests() > 0,
                    "has max_inflight_requests; limit the steps");
            refuse(
                    config.getEnsembleScheduling().getStepList().stream()
                            .anyMatch(step -> !step.getModelNamespace().isEmpty()),
                    "names a namespace of models, which this server does not have");
            refuse(
                    config.getInputCount() == 0 || config.getOutputCount() == 0,
                    "is an ensemble without inputs or outputs");
            refuse(config.getInstanceGroupCount() > 0, "is an ensemble with instances; give them to the steps");
        }
    }

    private void refuse(boolean condition, String sentence) {
        if (condition) {
            throw EngineException.invalidArgument(ConfigFile.NAME + " " + sentence);
        }
    }
}
