package dev.millrace.server.grpc;

import com.google.protobuf.Message;
import dev.millrace.server.endpoint.SharedParts;
import dev.millrace.server.model.SharedMemory;
import dev.millrace.server.protocol.CudaSharedMemoryRegisterRequest;
import dev.millrace.server.protocol.CudaSharedMemoryRegisterResponse;
import dev.millrace.server.protocol.CudaSharedMemoryStatusRequest;
import dev.millrace.server.protocol.CudaSharedMemoryStatusResponse;
import dev.millrace.server.protocol.CudaSharedMemoryUnregisterRequest;
import dev.millrace.server.protocol.CudaSharedMemoryUnregisterResponse;
import dev.millrace.server.protocol.LogSettingsRequest;
import dev.millrace.server.protocol.LogSettingsResponse;
import dev.millrace.server.protocol.ModelRepositoryParameter;
import dev.millrace.server.protocol.RepositoryIndexRequest;
import dev.millrace.server.protocol.RepositoryIndexResponse;
import dev.millrace.server.protocol.RepositoryModelLoadRequest;
import dev.millrace.server.protocol.RepositoryModelLoadResponse;
import dev.millrace.server.protocol.RepositoryModelUnloadRequest;
import dev.millrace.server.protocol.RepositoryModelUnloadResponse;
import dev.millrace.server.protocol.SystemSharedMemoryRegisterRequest;
import dev.millrace.server.protocol.SystemSharedMemoryRegisterResponse;
import dev.millrace.server.protocol.SystemSharedMemoryStatusRequest;
import dev.millrace.server.protocol.SystemSharedMemoryStatusResponse;
import dev.millrace.server.protocol.SystemSharedMemoryUnregisterRequest;
import dev.millrace.server.protocol.SystemSharedMemoryUnregisterResponse;
import dev.millrace.server.protocol.TraceSettingRequest;
import dev.millrace.server.protocol.TraceSettingResponse;
import dev.millrace.server.repository.IndexRow;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.repository.RepositoryControl;
import dev.millrace.server.setting.ServerSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The methods about the repository and the settings, and those about shared memory, which are refused. */
final class RepositoryService {
    private final ModelRepository repository;
    private final RepositoryControl control;
    private final ServerSettings settings;

    RepositoryService(SharedParts shared) {
        repository = shared.repository();
        control = shared.control();
        settings = shared.settings();
    }

    void addTo(ProtocolMethods methods) {
        methods.unary(
                "RepositoryIndex",
                RepositoryIndexRequest.getDefaultInstance(),
                RepositoryIndexResponse.getDefaultInstance(),
                request -> Mono.fromSupplier(() -> index(request.getReady())));
        methods.unary(
                "RepositoryModelLoad",
                RepositoryModelLoadRequest.getDefaultInstance(),
                RepositoryModelLoadResponse.getDefaultInstance(),
                this::load);
        methods.unary(
                "RepositoryModelUnload",
                RepositoryModelUnloadRequest.getDefaultInstance(),
                RepositoryModelUnloadResponse.getDefaultInstance(),
                this::unload);
        methods.unary(
                "TraceSetting",
                TraceSettingRequest.getDefaultInstance(),
                TraceSettingResponse.getDefaultInstance(),
                request -> Mono.fromSupplier(() -> trace(request)));
        methods.unary(
                "LogSettings",
                LogSettingsRequest.getDefaultInstance(),
                LogSettingsResponse.getDefaultInstance(),
                request -> Mono.fromSupplier(() -> log(request)));
        addSharedMemory(methods);
    }

    private static void addSharedMemory(ProtocolMethods methods) {
        refuse(
                methods,
                "SystemSharedMemoryStatus",
                SystemSharedMemoryStatusRequest.getDefaultInstance(),
                SystemSharedMemoryStatusResponse.getDefaultInstance());
        refuse(
                methods,
                "SystemSharedMemoryRegister",
                SystemSharedMemoryRegisterRequest.getDefaultInstance(),
                SystemSharedMemoryRegisterResponse.getDefaultInstance());
        refuse(
                methods,
                "SystemSharedMemoryUnregister",
                SystemSharedMemoryUnregisterRequest.getDefaultInstance(),
                SystemSharedMemoryUnregisterResponse.getDefaultInstance());
        refuse(
                methods,
                "CudaSharedMemoryStatus",
                CudaSharedMemoryStatusRequest.getDefaultInstance(),
                CudaSharedMemoryStatusResponse.getDefaultInstance());
        refuse(
                methods,
                "CudaSharedMemoryRegister",
                CudaSharedMemoryRegisterRequest.getDefaultInstance(),
                CudaSharedMemoryRegisterResponse.getDefaultInstance());
        refuse(
                methods,
                "CudaSharedMemoryUnregister",
                CudaSharedMemoryUnregisterRequest.getDefaultInstance(),
                CudaSharedMemoryUnregisterResponse.getDefaultInstance());
    }

    private static <Q extends Message, A extends Message> void refuse(
            ProtocolMethods methods, String name, Q request, A answer) {
        methods.refused(name, request, answer, SharedMemory.REFUSAL);
    }

    private RepositoryIndexResponse index(boolean readyOnly) {
        var index = RepositoryIndexResponse.newBuilder();
        for (IndexRow row : repository.index(readyOnly)) {
            if (!CallGuard.permissions().maySee(row.name())) {
                continue;
            }
            index.addModels(RepositoryIndexResponse.ModelIndex.newBuilder()
                    .setName(row.name())
                    .setVersion(row.version())
                    .setState(row.state())
                    .setReason(row.reason()));
        }
        return index.build();
    }

    private Mono<RepositoryModelUnloadResponse> unload(RepositoryModelUnloadRequest request) {
        CallGuard.permissions().requireChange(request.getModelName());
        if (dependents(request)) {
            CallGuard.permissions().requireAll();
        }
        return control.unload(request.getModelName(), dependents(request))
                .thenReturn(RepositoryModelUnloadResponse.getDefaultInstance());
    }

    private Mono<RepositoryModelLoadResponse> load(RepositoryModelLoadRequest request) {
        CallGuard.permissions().requireChange(request.getModelName());
        String config = null;
        var files = new HashMap<String, byte[]>();
        for (Map.Entry<String, ModelRepositoryParameter> each :
                request.getParametersMap().entrySet()) {
            if (each.getKey().equals("config")) {
                config = each.getValue().getStringParam();
            } else if (each.getKey().startsWith(RepositoryControl.FILE)) {
                files.put(
                        each.getKey().substring(RepositoryControl.FILE.length()),
                        each.getValue().getBytesParam().toByteArray());
            } else {
                throw RepositoryControl.unknown(each.getKey());
            }
        }
        return control.load(request.getModelName(), config, files)
                .thenReturn(RepositoryModelLoadResponse.getDefaultInstance());
    }

    private static boolean dependents(RepositoryModelUnloadRequest request) {
        ModelRepositoryParameter value = request.getParametersMap().get("unload_dependents");
        return value != null && value.getBoolParam();
    }

    private TraceSettingResponse trace(TraceSettingRequest request) {
        if (!request.getModelName().isEmpty()) {
            repository.require(request.getModelName());
        }
        var changes = new HashMap<String, @Nullable Object>();
        request.getSettingsMap()
                .forEach((name, value) ->
                        changes.put(name, value.getValueCount() == 0 ? null : List.copyOf(value.getValueList())));
        var answer = TraceSettingResponse.newBuilder();
        ServerSettings.changeTrace(changes).forEach((name, value) -> {
            var setting = TraceSettingResponse.SettingValue.newBuilder();
            if (value instanceof List<?> list) {
                list.forEach(each -> setting.addValue(each.toString()));
            } else {
                setting.addValue(value.toString());
            }
            answer.putSettings(name, setting.build());
        });
        return answer.build();
    }

    private LogSettingsResponse log(LogSettingsRequest request) {
        var changes = new HashMap<String, Object>();
        request.getSettingsMap()
                .forEach((name, value) -> changes.put(
                        name,
                        switch (value.getParameterChoiceCase()) {
                            case BOOL_PARAM -> value.getBoolParam();
                            case UINT32_PARAM -> Integer.toUnsignedLong(value.getUint32Param());
                            case STRING_PARAM, PARAMETERCHOICE_NOT_SET -> value.getStringParam();
                        }));
        var answer = LogSettingsResponse.newBuilder();
        settings.changeLog(changes).forEach((name, value) -> {
            var setting = LogSettingsResponse.SettingValue.newBuilder();
            switch (value) {
                case Boolean truth -> setting.setBoolParam(truth);
                case Long number -> setting.setUint32Param(number.intValue());
                default -> setting.setStringParam(value.toString());
            }
            answer.putSettings(name, setting.build());
        });
        return answer.build();
    }
}
