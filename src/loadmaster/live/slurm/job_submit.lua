-- Holds each job that loadmaster can place as it is submitted, as long as loadmaster is alive.
-- It fails open: without a fresh heartbeat jobs go to Slurm's own scheduler as ever.
local HEARTBEAT = "@HEARTBEAT@"
local PATIENCE_S = @PATIENCE_S@
local OPERATOR = @OPERATOR@
local PARTITIONS = {@PARTITIONS@}
local OURS = "loadmaster"
local UNCHANGED, RELEASED = 4294967294, 4294967295
local WAITS_FOR_THE_SCHEDULER, DISABLED = 2042, 2037  -- of slurm/slurm_errno.h

local loadmaster = {}

local function alive()
  local file = io.open(HEARTBEAT, "r")
  if file == nil then return false end
  local beat = tonumber(file:read("*l") or "")
  file:close()
  return beat ~= nil and os.time() - beat <= PATIENCE_S
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

-- What names its own hosts or asks for licences is left to Slurm.
local function can_be_placed(job)
  return not (given(job.req_nodes) or given(job.exc_nodes) or given(job.licenses) or given(job.burst_buffer))
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
  if alive() and in_scope(job.partition) and can_be_placed(job) then
    if job.priority == 0 then job.delay_boot = marked(job.delay_boot) end
    job.admin_comment = OURS
    job.priority = 0
  end
  return slurm.SUCCESS
end

-- Users hold and release their jobs as ever; what loadmaster holds as well waits for it after their release.
-- Nothing is changed here that a user may not change, or Slurm would deny the whole request.
function loadmaster.modify(job, record, partitions, uid)
  local is_ours = given(record.admin_comment) and string.sub(record.admin_comment, 1, #OURS) == OURS
  if not is_ours or job.admin_comment ~= nil then return slurm.SUCCESS end
  local bound = uid ~= 0 and uid ~= OPERATOR and alive()
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
