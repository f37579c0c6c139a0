-- Holds each job that loadmaster can place as it is submitted, as long as loadmaster is alive.
-- It fails open: without a fresh heartbeat jobs go to Slurm's own scheduler as ever.
-- Slurm tests no job that is held, so a job that no host can take is refused here, as Slurm itself would.
local HEARTBEAT = "@HEARTBEAT@"
local SIZES = "@SIZES@"
local PATIENCE_S = @PATIENCE_S@
local OPERATOR = @OPERATOR@
local PARTITIONS = {@PARTITIONS@}
local OURS = "loadmaster"
local UNCHANGED, RELEASED = 4294967294, 4294967295
local UNCHANGED_16 = 65534
local MOST_LETTERS = 60  -- of the hosts that a job names, which its AdminComment keeps while loadmaster pins it
local NOT_AVAILABLE, DISABLED, WAITS_FOR_THE_SCHEDULER = 2014, 2037, 2042  -- of slurm/slurm_errno.h

local loadmaster = {}

-- The mark of the run that is alive, in whose name jobs are held; nil if none is.
local function alive()
  local file = io.open(HEARTBEAT, "r")
  if file == nil then return nil end
  local beat, owner = string.match(file:read("*l") or "", "^(%d+) (%x+)$")
  file:close()
  if beat == nil or os.time() - tonumber(beat) > PATIENCE_S then return nil end
  return OURS .. ":" .. owner
end

local function given(text)
  return text ~= nil and text ~= ""
end

local function in_scope(names)
  if next(PARTITIONS) == nil then return true end
  if not given(names) then return PARTITIONS["*"] == true end
  for name in string.gmatch(names, "[^,]+") do
    if not PARTITIONS[name] then return false end
  end
  return true
end

-- Left to Slurm: a job that names many hosts, or asks for licences of another server or for one of several.
local function can_be_placed(job)
  local other_licences = given(job.licenses) and string.find(job.licenses, "[^%w_.:,/-]") ~= nil
  local many_hosts = given(job.req_nodes) and (#job.req_nodes > MOST_LETTERS or string.find(job.req_nodes, "%s") ~= nil)
  return not (many_hosts or other_licences or given(job.burst_buffer))
end

-- The least that each host of a job must have: CPUs and MiB.
local function least_of(job)
  local function count(value, none, otherwise)
    return (value == nil or value >= none) and otherwise or value
  end
  local each = count(job.cpus_per_task, UNCHANGED_16, 1)
  local cpus = math.max(each, count(job.pn_min_cpus, UNCHANGED_16, 1))
  local tasks = count(job.ntasks_per_node, UNCHANGED_16, 1)
  if count(job.max_nodes, UNCHANGED, UNCHANGED) * tasks <= count(job.num_tasks, UNCHANGED, UNCHANGED) then
    cpus = math.max(cpus, each * tasks)  -- else a host may have fewer tasks
  end
  if job.max_nodes == 1 then cpus = math.max(cpus, count(job.min_cpus, UNCHANGED, 1)) end
  return cpus, math.max(job.min_mem_per_node or 0, (job.min_mem_per_cpu or 0) * cpus)
end

-- GPUs of each model in a list such as "gres:gpu:a100:2,gpu:1"; those whose model is not named under "".
local function gpus_of(text)
  local found = {}
  for part in string.gmatch(text or "", "[^,]+") do
    local after = string.match(string.gsub(part, "^gres[:/]", "") .. ":", "^gpu[:=](.*)$")
    local model, count = string.match(after or "=", "^([^:=]*):?(%d*):?$")
    if count == "" and string.match(model, "^%d+$") then model, count = "", model end
    if model ~= nil then found[string.lower(model)] = tonumber(count) or 1 end
  end
  return found
end

-- The least GPUs by model that each host of a job must have, and the job as a whole.
local function least_gpus_of(job)
  local tasks = (job.num_tasks == nil or job.num_tasks >= UNCHANGED) and 1 or math.max(1, job.num_tasks)
  local one_host = job.max_nodes == 1 or job.num_tasks == 1
  local each, whole = {}, {}
  local function needs(least, text, times)
    for model, count in pairs(gpus_of(text)) do least[model] = math.max(least[model] or 0, count * times) end
  end
  needs(each, job.tres_per_node, 1)
  needs(each, job.tres_per_socket, 1)
  needs(each, job.tres_per_task, one_host and tasks or 1)
  if one_host then needs(each, job.tres_per_job, 1) end
  needs(whole, job.tres_per_task, tasks)
  needs(whole, job.tres_per_job, 1)
  return each, whole
end

local function covers(has, needed)
  for model, count in pairs(needed) do
    if (has[model] or 0) < count then return false end
  end
  return true
end

-- What a job needs, for its user, as in "gpu:1, gpu:a100:2".
local function in_words(needed)
  local words = {}
  for model, count in pairs(needed) do table.insert(words, "gpu:" .. (model == "" and "" or model .. ":") .. string.format("%d", count)) end
  table.sort(words)
  return table.concat(words, ", ")
end

-- Why no partition that a job names has hosts for it; nil if one may have.
local function why_never(job)
  local file = io.open(SIZES, "r")
  if file == nil then return nil end
  local cpus, mib = least_of(job)
  local each, whole = least_gpus_of(job)
  local hosts, fit, together = {}, {}, {}
  for line in file:lines() do
    local name, count, has_cpus, has_mib, has_gpus = string.match(line, "^(%S+) (%d+) (%d+) (%d+) (%S+)$")
    if name ~= nil then
      local gpus, all = gpus_of(has_gpus), 0
      for _, number in pairs(gpus) do all = all + number end
      gpus[""] = all
      local fits = tonumber(has_cpus) >= cpus and tonumber(has_mib) >= mib and covers(gpus, each)
      count = tonumber(count)
      hosts[name] = (hosts[name] or 0) + count
      fit[name] = (fit[name] or 0) + (fits and count or 0)
      together[name] = together[name] or {}
      for model, number in pairs(fits and gpus or {}) do
        together[name][model] = (together[name][model] or 0) + count * number
      end
    end
  end
  file:close()
  local least = (job.min_nodes == nil or job.min_nodes >= UNCHANGED) and 1 or math.max(1, job.min_nodes)
  local why = nil
  for name in string.gmatch(given(job.partition) and job.partition or "*", "[^,]+") do
    if hosts[name] == nil then return nil end
    local where = name == "*" and "the default partition" or "partition " .. name
    if fit[name] < math.min(least, hosts[name]) then
      local gpus = next(each) == nil and "" or " and " .. in_words(each)
      why = string.format("%d of the %d hosts of %s have the %d CPUs and %d MB%s that each host of this job needs",
                          fit[name], hosts[name], where, cpus, mib, gpus)
    elseif not covers(together[name], whole) then
      why = string.format("the hosts of %s together do not have the %s that this job needs", where, in_words(whole))
    else
      return nil
    end
  end
  return why
end

-- What somebody else than loadmaster holds bears a second in its DelayBoot, which else counts whole minutes: users may
-- change no other field of their jobs that Slurm shows and that means nothing here.
local function is_marked(delay_s)
  return delay_s % 60 == 1
end

local function marked(delay_s)
  if delay_s == UNCHANGED then return 1 end
  return is_marked(delay_s) and delay_s or delay_s - delay_s % 60 + 1
end

function loadmaster.submit(job, partitions, uid)
  local mark = alive()
  if mark ~= nil and in_scope(job.partition) and can_be_placed(job) then
    local why = why_never(job)
    if why ~= nil then
      slurm.log_user(why)
      return NOT_AVAILABLE
    end
    if job.priority == 0 then job.delay_boot = marked(job.delay_boot) end
    job.admin_comment = mark .. (given(job.req_nodes) and "/" .. job.req_nodes or "")
    job.priority = 0
  end
  return slurm.SUCCESS
end

-- Users hold and release their jobs as ever; what loadmaster holds as well waits for it after their release.
-- Nothing is changed here that a user may not change, or Slurm would deny the whole request.
function loadmaster.modify(job, record, partitions, uid)
  local is_ours = given(record.admin_comment) and string.sub(record.admin_comment, 1, #OURS) == OURS
  if not is_ours or job.admin_comment ~= nil then return slurm.SUCCESS end
  local bound = uid ~= 0 and uid ~= OPERATOR and alive() ~= nil
  if bound and given(job.req_nodes) then
    slurm.log_user("loadmaster chooses the hosts of this job; submit it again to name its hosts yourself")
    return DISABLED
  end
  if job.priority == 0 then
    job.delay_boot = marked(record.delay_boot)
  elseif job.priority == RELEASED then
    local held = is_marked(record.delay_boot)
    if held then job.delay_boot = record.delay_boot - 1 end
    if bound and record.priority == 0 then
      if not held then
        slurm.log_user("nothing to release: the job waits for loadmaster, which starts it when its turn comes")
        return WAITS_FOR_THE_SCHEDULER
      end
      job.priority = UNCHANGED
    end
  end
  return slurm.SUCCESS
end

slurm_job_submit, slurm_job_modify = loadmaster.submit, loadmaster.modify
return loadmaster
