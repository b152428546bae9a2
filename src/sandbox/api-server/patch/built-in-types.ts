/**
 * The fields of the built-in kinds, a type a line, as the API's OpenAPI document declares them. A field alone is a scalar or
 * merged as a whole; `name:Type` is an object, `name{}` a map, `name[]` a list that is merged as a whole, `name[=]` a set,
 * and `name[key]:Type` a list of objects that its keys tell apart. Volume sources of single clouds are left out.
 */
export const BUILT_IN_TYPES = `
Namespace: metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
Secret: data{} immutable metadata:ObjectMeta stringData{} type
ConfigMap: binaryData{} data{} immutable metadata:ObjectMeta
Service: metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
Pod: metadata:ObjectMeta spec:PodSpec status:PodStatus
Node: metadata:ObjectMeta spec:NodeSpec status:NodeStatus
Event: action count eventTime firstTimestamp involvedObject lastTimestamp message metadata:ObjectMeta reason related
  reportingComponent reportingInstance series:EventSeries source:EventSource type
Endpoints: metadata:ObjectMeta subsets[]
ServiceAccount: automountServiceAccountToken imagePullSecrets[] metadata:ObjectMeta secrets[name]
EventsEvent: action deprecatedCount deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedSource:EventSource
  eventTime metadata:ObjectMeta note reason regarding related reportingController reportingInstance series:EventSeries
  type
Deployment: metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
Lease: metadata:ObjectMeta spec:LeaseSpec
EndpointSlice: addressType endpoints[] metadata:ObjectMeta ports[]
Role: metadata:ObjectMeta rules[]
RoleBinding: metadata:ObjectMeta roleRef subjects[]
ClusterRole: aggregationRule:AggregationRule metadata:ObjectMeta rules[]
ClusterRoleBinding: metadata:ObjectMeta roleRef subjects[]
ValidatingWebhookConfiguration: metadata:ObjectMeta webhooks[name]:ValidatingWebhook
MutatingWebhookConfiguration: metadata:ObjectMeta webhooks[name]:MutatingWebhook
CustomResourceDefinition: metadata:ObjectMeta spec:CustomResourceDefinitionSpec status:CustomResourceDefinitionStatus
ObjectMeta: annotations{} creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers[=] generateName
  generation labels{} managedFields[] name namespace ownerReferences[uid] resourceVersion selfLink uid
NamespaceSpec: finalizers[]
NamespaceStatus: conditions[type]:Condition phase
ServiceSpec: allocateLoadBalancerNodePorts clusterIP clusterIPs[] externalIPs[] externalName externalTrafficPolicy
  healthCheckNodePort internalTrafficPolicy ipFamilies[] ipFamilyPolicy loadBalancerClass loadBalancerIP
  loadBalancerSourceRanges[] ports[port,protocol]:ServicePort publishNotReadyAddresses selector sessionAffinity
  sessionAffinityConfig:SessionAffinityConfig trafficDistribution type
ServiceStatus: conditions[type]:Condition loadBalancer:LoadBalancerStatus
PodSpec: activeDeadlineSeconds affinity:Affinity automountServiceAccountToken containers[name]:Container
  dnsConfig:PodDNSConfig dnsPolicy enableServiceLinks ephemeralContainers[name]:EphemeralContainer
  hostAliases[ip]:HostAlias hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets[name]
  initContainers[name]:Container nodeName nodeSelector os:PodOS overhead{} preemptionPolicy priority priorityClassName
  readinessGates[] resourceClaims[name]:PodResourceClaim resources:ResourceRequirements restartPolicy runtimeClassName
  schedulerName schedulingGates[name]:PodSchedulingGate schedulingGroup:PodSchedulingGroup
  securityContext:PodSecurityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace
  subdomain terminationGracePeriodSeconds tolerations[]
  topologySpreadConstraints[topologyKey,whenUnsatisfiable]:TopologySpreadConstraint volumes[name]:Volume
PodStatus: allocatedResources{} conditions[type]:Condition containerStatuses[] ephemeralContainerStatuses[]
  extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP hostIPs[] initContainerStatuses[] message
  nodeAllocatableResourceClaimStatuses[] nominatedNodeName observedGeneration phase podIP podIPs[ip]:PodIP qosClass
  reason resize resourceClaimStatuses[name]:PodResourceClaimStatus resources:ResourceRequirements startTime
NodeSpec: configSource externalID podCIDR podCIDRs[=] providerID taints[] unschedulable
NodeStatus: addresses[type]:NodeAddress allocatable{} capacity{} conditions[type]:Condition config
  daemonEndpoints:NodeDaemonEndpoints declaredFeatures[] features:NodeFeatures images[] nodeInfo:NodeSystemInfo phase
  runtimeHandlers[] volumesAttached[] volumesInUse[]
EventSeries: count lastObservedTime
EventSource: component host
DeploymentSpec: minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector
  strategy:DeploymentStrategy template:PodTemplateSpec
DeploymentStatus: availableReplicas collisionCount conditions[type]:Condition observedGeneration readyReplicas
  replicas terminatingReplicas unavailableReplicas updatedReplicas
LeaseSpec: acquireTime holderIdentity leaseDurationSeconds leaseTransitions preferredHolder renewTime strategy
AggregationRule: clusterRoleSelectors[]
ValidatingWebhook: admissionReviewVersions[] clientConfig:WebhookClientConfig failurePolicy
  matchConditions[name]:MatchCondition matchPolicy name namespaceSelector objectSelector rules[] sideEffects
  timeoutSeconds
MutatingWebhook: admissionReviewVersions[] clientConfig:WebhookClientConfig failurePolicy
  matchConditions[name]:MatchCondition matchPolicy name namespaceSelector objectSelector reinvocationPolicy rules[]
  sideEffects timeoutSeconds
CustomResourceDefinitionSpec: conversion:CustomResourceConversion group names:CustomResourceDefinitionNames
  preserveUnknownFields scope versions[]
CustomResourceDefinitionStatus: acceptedNames:CustomResourceDefinitionNames conditions[type]:Condition
  observedGeneration storedVersions[]
Condition: lastHeartbeatTime lastProbeTime lastTransitionTime lastUpdateTime message observedGeneration reason status
  type
ServicePort: appProtocol name nodePort port protocol targetPort
SessionAffinityConfig: clientIP:ClientIPConfig
LoadBalancerStatus: ingress[]
Affinity: nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
Container: args[] command[] env[name]:EnvVar envFrom[] image imagePullPolicy lifecycle:Lifecycle livenessProbe:Probe
  name ports[containerPort,protocol]:ContainerPort readinessProbe:Probe resizePolicy[] resources:ResourceRequirements
  restartPolicy restartPolicyRules[] securityContext:SecurityContext startupProbe:Probe stdin stdinOnce
  terminationMessagePath terminationMessagePolicy tty volumeDevices[devicePath]:VolumeDevice
  volumeMounts[mountPath]:VolumeMount workingDir
PodDNSConfig: nameservers[] options[] searches[]
EphemeralContainer: args[] command[] env[name]:EnvVar envFrom[] image imagePullPolicy lifecycle:Lifecycle
  livenessProbe:Probe name ports[containerPort,protocol]:ContainerPort readinessProbe:Probe resizePolicy[]
  resources:ResourceRequirements restartPolicy restartPolicyRules[] securityContext:SecurityContext startupProbe:Probe
  stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty
  volumeDevices[devicePath]:VolumeDevice volumeMounts[mountPath]:VolumeMount workingDir
HostAlias: hostnames[] ip
PodOS: name
PodResourceClaim: name resourceClaimName resourceClaimTemplateName
ResourceRequirements: claims[name]:ResourceClaim limits{} requests{}
PodSchedulingGate: name
PodSchedulingGroup: podGroupName
PodSecurityContext: appArmorProfile:AppArmorProfile fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser
  seLinuxChangePolicy seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups[]
  supplementalGroupsPolicy sysctls[] windowsOptions:WindowsSecurityContextOptions
TopologySpreadConstraint: labelSelector matchLabelKeys[] maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy
  topologyKey whenUnsatisfiable
Volume: configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
  emptyDir:EmptyDirVolumeSource ephemeral hostPath:HostPathVolumeSource image:ImageVolumeSource name
  nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource projected:ProjectedVolumeSource
  secret:SecretVolumeSource
PodExtendedResourceClaimStatus: requestMappings[] resourceClaimName
PodIP: ip
PodResourceClaimStatus: name resourceClaimName
NodeAddress: address type
NodeDaemonEndpoints: kubeletEndpoint:DaemonEndpoint
NodeFeatures: supplementalGroupsPolicy
NodeSystemInfo: architecture bootID containerRuntimeVersion kernelVersion kubeProxyVersion kubeletVersion machineID
  operatingSystem osImage swap:NodeSwapStatus systemUUID
DeploymentStrategy: rollingUpdate:RollingUpdateDeployment type
PodTemplateSpec: metadata:ObjectMeta spec:PodSpec
WebhookClientConfig: caBundle service:ServiceReference url
MatchCondition: expression name
CustomResourceConversion: strategy webhook:WebhookConversion
CustomResourceDefinitionNames: categories[] kind listKind plural shortNames[] singular
ClientIPConfig: timeoutSeconds
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution[] requiredDuringSchedulingIgnoredDuringExecution
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution[] requiredDuringSchedulingIgnoredDuringExecution[]
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution[] requiredDuringSchedulingIgnoredDuringExecution[]
EnvVar: name value valueFrom:EnvVarSource
Lifecycle: postStart:LifecycleHandler preStop:LifecycleHandler stopSignal
Probe: exec:ExecAction failureThreshold grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds periodSeconds
  successThreshold tcpSocket:TCPSocketAction terminationGracePeriodSeconds timeoutSeconds
ContainerPort: containerPort hostIP hostPort name protocol
SecurityContext: allowPrivilegeEscalation appArmorProfile:AppArmorProfile capabilities:Capabilities privileged
  procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions:SELinuxOptions
  seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions
VolumeDevice: devicePath name
VolumeMount: mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr
ResourceClaim: name request
AppArmorProfile: localhostProfile type
SELinuxOptions: level role type user
SeccompProfile: localhostProfile type
WindowsSecurityContextOptions: gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName
ConfigMapVolumeSource: defaultMode items[] name optional
CSIVolumeSource: driver fsType nodePublishSecretRef readOnly volumeAttributes{}
DownwardAPIVolumeSource: defaultMode items[]
EmptyDirVolumeSource: medium sizeLimit
HostPathVolumeSource: path type
ImageVolumeSource: pullPolicy reference
NFSVolumeSource: path readOnly server
PersistentVolumeClaimVolumeSource: claimName readOnly
ProjectedVolumeSource: defaultMode sources[]
SecretVolumeSource: defaultMode items[] optional secretName
DaemonEndpoint: Port
NodeSwapStatus: capacity
RollingUpdateDeployment: maxSurge maxUnavailable
ServiceReference: name namespace path port
WebhookConversion: clientConfig:WebhookClientConfig conversionReviewVersions[]
EnvVarSource: configMapKeyRef fieldRef fileKeyRef resourceFieldRef secretKeyRef
LifecycleHandler: exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
ExecAction: command[]
GRPCAction: port service
HTTPGetAction: host httpHeaders[] path port scheme
TCPSocketAction: host port
Capabilities: add[] drop[]
SleepAction: seconds
`;
